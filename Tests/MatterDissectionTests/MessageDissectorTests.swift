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
}
