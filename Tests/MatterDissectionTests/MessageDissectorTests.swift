import JSON
import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

@Suite struct MessageDissectorTests {
    private let entry: KeyLogEntry

    init() throws {
        entry = try #require(
            KeyLogEntry(
                line: "matter-session 0x1111 0x2222 0000000000000001 0000000000000005 "
                    + "000102030405060708090a0b0c0d0e0f 101112131415161718191a1b1c1d1e1f"))
    }

    private func sealed(
        _ opcode: UInt8, _ payload: [UInt8], counter: UInt32, fromInitiator: Bool = true, acknowledges: UInt32? = nil
    ) throws -> [UInt8] {
        let header = MessageHeader(
            sessionID: fromInitiator ? entry.responderSessionID : entry.initiatorSessionID, counter: counter)
        let inner = ProtocolHeader(
            isFromInitiator: fromInitiator, needsAck: true, acknowledged: acknowledges, opcode: opcode, exchangeID: 7,
            protocolID: .interactionModel)
        let security = try MessageSecurity(
            key: fromInitiator ? entry.i2r : entry.r2i,
            senderNodeID: fromInitiator ? entry.initiatorNodeID : entry.responderNodeID)
        return try security.seal(header: header, plaintext: inner.encoded() + payload)
    }

    private let moveToLevel = InvokeRequest(commands: [
        CommandDataIB(
            path: CommandPath(endpoint: 1, cluster: 8, command: 0),
            fields: .structure([TLVElement(0, .uint(127)), TLVElement(1, .null)]))
    ]).encoded()

    @Test("a command in words; a message that is sent again has a number; an acknowledgement has a time")
    func conversation() throws {
        var ring = MessageKeyring()
        try ring.add(entry)
        var dissector = MessageDissector(keys: ring)
        let request = try sealed(8, moveToLevel, counter: 100)
        let first = dissector.dissect(request, from: "us", to: "lamp", at: 1000)
        #expect(first.opcode == "InvokeRequest" && first.kind == .case && first.retransmission == 0)
        #expect(first.source == 1 && first.destination == 5 && first.counter == 100)
        #expect(first.items.map(\.text) == ["command 1/level-control/move-to-level level=127 transitionTime=null"])
        #expect(dissector.dissect(request, from: "us", to: "lamp", at: 301_000).retransmission == 1)
        #expect(dissector.dissect(request, from: "us", to: "lamp", at: 901_000).retransmission == 2)
        // Another message with the counter is none that is sent again.
        let other = try sealed(8, moveToLevel + [], counter: 101)
        #expect(dissector.dissect(other, from: "us", to: "lamp", at: 901_500).retransmission == 0)
        let answer = try sealed(
            1, StatusResponse(.success).encoded(), counter: 55, fromInitiator: false, acknowledges: 100)
        let found = dissector.dissect(answer, from: "lamp", to: "us", at: 15_200)
        #expect(found.acknowledgedAfter == 14_200 && found.source == 5)
        #expect(found.items.map(\.text) == ["status status=SUCCESS"])
    }

    @Test("a key log is read back; a line that is none is told by its number")
    func keyLog() throws {
        let again = try #require(KeyLogEntry(line: entry.line[...]))
        #expect(again.line == entry.line && again.initiatorSessionID == 0x1111 && again.responderNodeID == 5)
        for line in ["", "# remark", "matter-session 1 2 3 4 5 6", entry.line + " more", String(entry.line.dropLast())]
        {
            #expect(KeyLogEntry(line: line[...]) == nil, "\(line)")
        }
    }

    @Test("of two sessions with one id, each message is opened with its own key")
    func sameID() throws {
        let other = try #require(
            KeyLogEntry(
                line: "matter-session 0x1111 0x2222 0000000000000009 0000000000000005 "
                    + "ffffffffffffffffffffffffffffffff eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"))
        var ring = MessageKeyring()
        try ring.add(entry)
        try ring.add(other)
        var dissector = MessageDissector(keys: ring)
        #expect(dissector.dissect(try sealed(8, moveToLevel, counter: 1), from: "a", to: "b", at: 0).source == 1)
    }

    @Test("a message to a group says its group, its sender and its command, although its header is obscured")
    func group() throws {
        let key = try GroupKey(operationalKey: SecretBytes([UInt8](repeating: 7, count: 16)))
        let security = GroupMessageSecurity(
            sessionID: key.sessionID, key: key.operationalKey, privacyKey: try key.privacyKey())
        let header = MessageHeader(
            sessionID: key.sessionID, sessionType: .group, hasPrivacy: true, counter: 9, source: 42,
            destination: .group(0x101))
        let inner = ProtocolHeader(
            isFromInitiator: true, needsAck: false, opcode: 8, exchangeID: 3, protocolID: .interactionModel)
        let datagram = try security.seal(header: header, plaintext: inner.encoded() + moveToLevel)
        var dissector = MessageDissector()
        let sealed = dissector.dissect(datagram, from: "a", to: "b", at: 0)
        #expect(sealed.isSealed && sealed.counter == 0 && sealed.group == nil, "the obscured numbers mean nothing")
        dissector.keys.add(security)
        let found = dissector.dissect(datagram, from: "a", to: "b", at: 0)
        #expect(found.kind == .group && found.group == 0x101 && found.source == 42 && found.counter == 9)
        #expect(found.items.first?.path == "1/level-control/move-to-level")
    }

    // MARK: Handshakes

    private static let secrets = HandshakeSecrets(
        initiatorRandom: [UInt8](repeating: 0x21, count: 32), sigma2: SecretBytes([UInt8](repeating: 2, count: 16)),
        sigma3: SecretBytes([UInt8](repeating: 3, count: 16)))

    /// A message of a handshake, whose initiator has the ephemeral id 0x77.
    private func clear(_ opcode: SecureChannelOpcode, _ payload: [UInt8], exchange: UInt16 = 9) -> [UInt8] {
        let isFromInitiator = opcode != .sigma2
        let header = MessageHeader(
            sessionID: 0, counter: UInt32(opcode.rawValue) + UInt32(exchange) << 8,
            source: isFromInitiator ? 0x77 : nil,
            destination: isFromInitiator ? .none : .node(0x77))
        let inner = ProtocolHeader(
            isFromInitiator: isFromInitiator, needsAck: true, opcode: opcode.rawValue, exchangeID: exchange,
            protocolID: .secureChannel)
        return header.encoded() + inner.encoded() + payload
    }

    private func sigma1(_ random: [UInt8] = secrets.initiatorRandom) -> [UInt8] {
        let key = [4] + [UInt8](repeating: 9, count: 64)
        return Sigma1(
            initiatorRandom: random, initiatorSessionID: 1, destinationID: [UInt8](repeating: 5, count: 32),
            ephemeralKey: key
        ).encoded()
    }

    private func sigma2(_ key: SecretBytes = secrets.sigma2) throws -> [UInt8] {
        let proof = SigmaProof(
            noc: [UInt8](repeating: 1, count: 120), icac: [UInt8](repeating: 1, count: 110),
            signature: [UInt8](repeating: 1, count: 64), resumptionID: [UInt8](repeating: 1, count: 16))
        return Sigma2(
            responderRandom: [UInt8](repeating: 6, count: 32), responderSessionID: 2,
            ephemeralKey: [4] + [UInt8](repeating: 9, count: 64),
            encrypted: try AES128CCM(key: key).seal(proof.encoded(), nonce: CASEKeySchedule.sigma2Nonce, aad: [])
        ).encoded()
    }

    private func sigma3() throws -> [UInt8] {
        let proof = SigmaProof(noc: [UInt8](repeating: 1, count: 130), signature: [UInt8](repeating: 1, count: 64))
        return Sigma3.encoded(
            try AES128CCM(key: Self.secrets.sigma3).seal(
                proof.encoded(), nonce: CASEKeySchedule.sigma3Nonce, aad: []))
    }

    @Test(
        "with the keys of a handshake, the certificates in Sigma2 and Sigma3 are told; without them, they stay sealed")
    func handshake() throws {
        func kinds(_ dissector: inout MessageDissector, _ message: [UInt8], from sender: String) -> [String] {
            let found = dissector.dissect(message, from: sender, to: sender == "us" ? "it" : "us", at: 0)
            #expect(found.fault == nil && found.kind == .unsecured)
            return found.items.map(\.kind)
        }
        var ring = MessageKeyring()
        ring.add(Self.secrets)
        var dissector = MessageDissector(keys: ring)
        #expect(kinds(&dissector, clear(.sigma1, sigma1()), from: "us") == ["handshake"])
        let second = dissector.dissect(clear(.sigma2, try sigma2()), from: "it", to: "us", at: 0)
        #expect(second.items.map(\.kind) == ["handshake", "noc", "icac", "proof"])
        #expect(second.items.contains { $0.text.contains("120 bytes that are not a certificate") }, "\(second.items)")
        #expect(kinds(&dissector, clear(.sigma3, try sigma3()), from: "us") == ["handshake", "noc", "proof"])
        // A handshake of another exchange, and one that another Sigma1 began, have none of these keys.
        #expect(kinds(&dissector, clear(.sigma2, try sigma2(), exchange: 10), from: "it") == ["handshake"])
        let other = clear(.sigma1, sigma1([UInt8](repeating: 1, count: 32)))
        #expect(kinds(&dissector, other, from: "us") == ["handshake"])
        #expect(kinds(&dissector, clear(.sigma2, try sigma2()), from: "it") == ["handshake"])
        // Contents that the key does not open are told, and end nothing.
        var again = MessageDissector(keys: ring)
        _ = kinds(&again, clear(.sigma1, sigma1()), from: "us")
        let wrong = kinds(&again, clear(.sigma2, try sigma2(Self.secrets.sigma3)), from: "it")
        #expect(wrong == ["handshake", "encrypted"])
        var without = MessageDissector()
        _ = kinds(&without, clear(.sigma1, sigma1()), from: "us")
        #expect(kinds(&without, clear(.sigma2, try sigma2()), from: "it") == ["handshake"])
    }

    @Test("the line of a handshake is read back, and a line that is none is not")
    func handshakeLog() throws {
        let line = HandshakeLogEntry(Self.secrets).line
        let again = try #require(HandshakeLogEntry(line: line[...]))
        #expect(again.line == line && again.secrets.initiatorRandom == Self.secrets.initiatorRandom)
        for line in ["", "matter-handshake 1 2 3", line + " more", String(line.dropLast()), entry.line] {
            #expect(HandshakeLogEntry(line: line[...]) == nil, "\(line)")
        }
        #expect(KeyLogEntry(line: line[...]) == nil)
    }

    @Test("of many handshakes the oldest are forgotten")
    func manyHandshakes() {
        var ring = MessageKeyring()
        for number in 0..<5000 {
            var secrets = Self.secrets
            secrets.initiatorRandom = [UInt8(number & 0xFF), UInt8(number >> 8)]
            ring.add(secrets)
        }
        #expect(ring.handshake([0, 0]) == nil && ring.handshake([0x87, 0x13]) != nil && !ring.isEmpty)
    }
}
