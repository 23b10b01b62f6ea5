import JSON
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Two sessions between a commercial commissioner and a device, read as a stranger with the keys reads them.
@Suite(.vectors, .enabled(if: Vectors.available)) struct RecordedDissectionTests {
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
        var initiatorNodeId, responderNodeId: UInt64?

        var line: String {
            func id(_ number: UInt16) -> String { "0x" + Hex.number(number, digits: 4) }
            func node(_ number: UInt64?) -> String { Hex.number(number ?? 0, digits: 16) }
            return "matter-session \(id(initiatorSessionId)) \(id(responderSessionId)) \(node(initiatorNodeId)) "
                + "\(node(responderNodeId)) \(i2rKey) \(r2iKey)"
        }
    }

    private struct Handshakes: Decodable {
        var handshakes: [Keys]
    }

    private let messages: [Message]
    private let keys: [Keys]

    init() throws {
        messages = try Vectors.load("session-messages.json", as: File.self).messages
        let handshakes = try Vectors.load("case-transcripts.json", as: Handshakes.self).handshakes
        keys = try [Vectors.load("pase-transcript.json"), #require(handshakes.first)]
    }

    private func keyring() throws -> MessageKeyring {
        var ring = MessageKeyring()
        for key in keys { try ring.add(try #require(KeyLogEntry(line: key.line[...]))) }
        return ring
    }

    @Test("every datagram is opened, and its headers and its opcode are told; each message says something")
    func everyDatagram() throws {
        var dissector = MessageDissector(keys: try keyring())
        try #require(messages.count > 100)
        var kinds: [SessionKind: Int] = [:]
        for (number, message) in messages.enumerated() {
            let (sender, receiver) = message.isToDevice ? ("commissioner", "device") : ("device", "commissioner")
            let found = dissector.dissect(hex(message.datagram), from: sender, to: receiver, at: Int64(number) * 1000)
            #expect(found.fault == nil, "message \(number): \(found)")
            #expect(found.exchangeID == message.exchangeId, "message \(number)")
            #expect(found.acknowledged == message.ack, "message \(number)")
            #expect(found.isFromInitiator == (message.exchangeFlags & 0x01 != 0), "message \(number)")
            #expect(found.needsAck == (message.exchangeFlags & 0x04 != 0), "message \(number)")
            if message.protocol == 1 {
                #expect(found.opcode == InteractionModelOpcode(rawValue: message.opcode)?.description)
            }
            // Acknowledgements, and an empty report, are all that need no more words.
            let isBare = message.protocol == 0 && message.opcode == 0x10
            #expect(!found.items.isEmpty || isBare || found.opcode == "ReportData", "message \(number): \(found)")
            kinds[found.kind, default: 0] += 1
        }
        #expect(kinds[.pase, default: 0] >= 50 && kinds[.case, default: 0] >= 50, "\(kinds)")
        #expect(kinds[.unsecured, default: 0] == 12 && kinds[.sealed] == nil, "\(kinds)")
    }

    @Test("what the commissioner did is in the text, in the names of the data model, and its secrets are not")
    func content() throws {
        var dissector = MessageDissector(keys: try keyring())
        var lines: [String] = []
        for (number, message) in messages.enumerated() {
            let (sender, receiver) = message.isToDevice ? ("commissioner", "device") : ("device", "commissioner")
            lines += dissector.dissect(hex(message.datagram), from: sender, to: receiver, at: Int64(number)).items
                .map(\.text)
        }
        func has(_ text: String) -> Bool { lines.contains { $0.contains(text) } }
        #expect(has("command 0/general-commissioning/arm-fail-safe expiryLengthSeconds="))
        #expect(has("command 0/operational-credentials/add-noc nocValue="))
        #expect(has("Matter certificate of "), "the chain")
        #expect(has("X.509 certificate of "), "the attestation chain")
        #expect(has("ipkValue=\(SecretFilter.mark)"))
        #expect(has("response 0/operational-credentials/noc-response statusCode="))
        #expect(has("report 0/basic-information/vendor-name = "))
    }

    @Test("without keys all but the handshakes stays sealed, and the text says so")
    func withoutKeys() throws {
        var dissector = MessageDissector()
        let found = messages.enumerated().map { number, message in
            dissector.dissect(hex(message.datagram), from: "\(message.isToDevice)", to: "", at: Int64(number))
        }
        #expect(found.count(where: \.isSealed) == messages.count { $0.session != "unsecured" })
        #expect(found.allSatisfy { !$0.isSealed || $0.items.isEmpty && $0.fault?.contains("sealed") == true })
    }

    @Test("a damaged datagram is told as such, whatever was damaged")
    func damaged() throws {
        var dissector = MessageDissector(keys: try keyring())
        var mutator = Mutator(seed: 33, corpus: messages.map { hex($0.datagram) })
        var faults = 0
        for number in 0..<2000 {
            if dissector.dissect(mutator.next(), from: "a", to: "b", at: Int64(number)).fault != nil { faults += 1 }
        }
        #expect(faults > 1500, "\(faults)")
    }
}
