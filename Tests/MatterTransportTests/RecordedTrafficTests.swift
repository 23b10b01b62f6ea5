import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Two sessions between a commercial commissioner and a device, datagram by datagram.
@Suite(.vectors, .enabled(if: Vectors.available)) struct RecordedTrafficTests {
    private struct File: Decodable {
        var messages: [Message]
    }

    private struct Message: Decodable {
        var direction, session, datagram, payload: String
        var exchangeFlags, opcode: UInt8
        var `protocol`, exchangeId: UInt16
        var ack: UInt32?

        var isToDevice: Bool { direction == "to device" }
    }

    private struct Keys: Decodable {
        var i2rKey, r2iKey: String
        var initiatorSessionId, responderSessionId: UInt16
        /// Absent on PASE sessions.
        var initiatorNodeId, responderNodeId: UInt64?

        /// The session as the device has it.
        var device: SecureSessionParameters {
            SecureSessionParameters(
                localSessionID: responderSessionId, peerSessionID: initiatorSessionId, role: .responder,
                keys: SessionKeys(
                    i2r: SecretBytes(hex(i2rKey)), r2i: SecretBytes(hex(r2iKey)), attestationChallenge: SecretBytes([])),
                localNodeID: responderNodeId ?? 0, peerNodeID: initiatorNodeId ?? 0, reliability: .standard,
                address: host(1))
        }

        /// The session as the commissioner has it.
        var commissioner: SecureSessionParameters {
            var parameters = device
            swap(&parameters.localSessionID, &parameters.peerSessionID)
            swap(&parameters.localNodeID, &parameters.peerNodeID)
            parameters.role = .initiator
            return parameters
        }
    }

    private struct Handshakes: Decodable {
        var handshakes: [Keys]
    }

    private let messages: [Message]
    private let sessions: [String: Keys]

    init() throws {
        messages = try Vectors.load("session-messages.json", as: File.self).messages
        let handshakes = try Vectors.load("case-transcripts.json", as: Handshakes.self).handshakes
        sessions = try ["PASE": Vectors.load("pase-transcript.json"), "CASE 1": #require(handshakes.first)]
    }

    @Test("every datagram opens, has the recorded headers and payload, and is made again byte for byte")
    func everyDatagram() throws {
        try #require(messages.count > 100)
        for (number, message) in messages.enumerated() {
            let datagram = hex(message.datagram)
            let (header, length) = try MessageHeader.decode(datagram)
            let security = try sessions[message.session].map { session in
                try MessageSecurity(
                    key: SecretBytes(hex(message.isToDevice ? session.i2rKey : session.r2iKey)),
                    senderNodeID: (message.isToDevice ? session.initiatorNodeId : session.responderNodeId) ?? 0)
            }
            #expect((security == nil) == header.isUnsecured, "message \(number)")
            let plaintext =
                try security?.open(header: header, headerLength: length, datagram: datagram)
                ?? Array(datagram[length...])
            let (inner, payload) = try ProtocolHeader.decode(plaintext)
            #expect(inner.opcode == message.opcode, "message \(number)")
            #expect(inner.protocolID == ProtocolID(number: message.protocol), "message \(number)")
            #expect(inner.exchangeID == message.exchangeId, "message \(number)")
            #expect(inner.acknowledged == message.ack, "message \(number)")
            #expect(inner.isFromInitiator == (message.exchangeFlags & 0x01 != 0), "message \(number)")
            #expect(inner.needsAck == (message.exchangeFlags & 0x04 != 0), "message \(number)")
            #expect(payload == hex(message.payload), "message \(number)")

            let again = inner.encoded() + payload
            let made = try security?.seal(header: header, plaintext: again) ?? header.encoded() + again
            #expect(made == datagram, "message \(number)")
        }
    }

    /// Feeds one direction of a session to an engine that was not there before, so that exchanges of which it missed
    /// the beginning are strange to it.
    private func replay(
        _ session: String, toDevice: Bool, into parameters: SecureSessionParameters
    ) throws -> (delivered: [[UInt8]], dropped: [TransportError.Code]) {
        var engine = try MessageEngine(random: SeededRandom(1)) { _, _, _ in true }
        _ = try engine.install(parameters, now: .now)
        let actions = messages.filter { $0.session == session && $0.isToDevice == toDevice }.flatMap {
            engine.receive(hex($0.datagram), from: host(1), now: .now)
        }
        return (actions.delivered.map(\.payload), actions.dropped)
    }

    /// Messages that began an exchange or went on with one of the same side; the recording has retransmissions.
    private func expected(_ session: String, toDevice: Bool) -> [[UInt8]] {
        var seen: Set<String> = []
        return messages.filter {
            $0.session == session && $0.isToDevice == toDevice && $0.exchangeFlags & 0x01 != 0 && $0.opcode != 0x10
                && seen.insert($0.datagram).inserted
        }.map { hex($0.payload) }
    }

    @Test(
        "an engine in the device's place gets every new message of the commissioner once",
        arguments: ["PASE", "CASE 1"])
    func device(session: String) throws {
        let (delivered, dropped) = try replay(session, toDevice: true, into: #require(sessions[session]).device)
        #expect(delivered == expected(session, toDevice: true))
        #expect(delivered.count > 10)
        #expect(dropped == [])
    }

    @Test("an engine in the commissioner's place gets none of the answers, which fit no exchange of its own")
    func commissioner() throws {
        for (name, keys) in sessions {
            let (delivered, dropped) = try replay(name, toDevice: false, into: keys.commissioner)
            #expect(delivered == expected(name, toDevice: false))
            #expect(dropped == [])
        }
    }
}
