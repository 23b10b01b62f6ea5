import TestSupport
import Testing

@testable import MatterNetwork

@Suite struct MessageHeaderTests {
    private static let samples: [(MessageHeader, String)] = [
        (
            MessageHeader(sessionID: 0, counter: 0x0102_0304, source: 0x1122_3344_5566_7788),
            "04 0000 00 04030201 8877665544332211"
        ),
        (
            MessageHeader(sessionID: 0, counter: 0x0102_0304, destination: .node(0x1122_3344_5566_7788)),
            "01 0000 00 04030201 8877665544332211"
        ),
        (MessageHeader(sessionID: 0x1234, counter: 0xFFFF_FFFF), "00 3412 00 ffffffff"),
        (
            MessageHeader(sessionID: 0x1234, counter: 1, source: 5, destination: .node(6)),
            "05 3412 00 01000000 0500000000000000 0600000000000000"
        ),
        (
            MessageHeader(
                sessionID: 0xDB7D, sessionType: .group, counter: 0x1234_5678, source: 1, destination: .group(2)),
            "06 7ddb 01 78563412 0100000000000000 0200"
        ),
        (
            MessageHeader(
                sessionID: 0xDB7D, sessionType: .group, isControl: true, hasPrivacy: true, counter: 1, source: 1,
                destination: .node(2)),
            "05 7ddb c1 01000000 0100000000000000 0200000000000000"
        ),
    ]

    @Test("every combination of ids is written and read", arguments: samples)
    func form(header: MessageHeader, octets: String) throws {
        #expect(header.encoded() == hex(octets))
        let decoded = try MessageHeader.decode(hex(octets) + [0xAA])
        #expect(decoded.header == header)
        #expect(decoded.length == hex(octets).count)
    }

    @Test("only session 0 of type unicast is unsecured")
    func unsecured() {
        #expect(Self.samples.map(\.0.isUnsecured) == [true, true, false, false, false, false])
    }

    @Test("message extensions are skipped")
    func extensions() throws {
        let decoded = try MessageHeader.decode(hex("00 3412 20 04030201 0300 aabbcc 11"))
        #expect(decoded.header == MessageHeader(sessionID: 0x1234, counter: 0x0102_0304))
        #expect(decoded.length == 13)
    }

    @Test("reserved flag bits are ignored")
    func reserved() throws {
        let decoded = try MessageHeader.decode(hex("08 3412 1c 04030201"))
        #expect(decoded.header == MessageHeader(sessionID: 0x1234, counter: 0x0102_0304))
    }

    @Test(
        "headers that have to be dropped are refused",
        arguments: [
            ("version 1", "10 3412 00 04030201"),
            ("reserved destination size", "03 3412 00 04030201 8877665544332211"),
            ("session type 2", "00 3412 02 04030201"),
            ("session type 3", "00 3412 03 04030201"),
            ("unicast to a group", "02 3412 00 04030201 0200"),
            ("unicast with privacy", "00 3412 80 04030201"),
            ("unsecured with privacy", "04 0000 80 04030201 8877665544332211"),
            ("unsecured with both node ids", "05 0000 00 04030201 8877665544332211 8877665544332211"),
            ("unsecured with no node id", "00 0000 00 04030201"),
            ("group without a session id", "06 0000 01 04030201 8877665544332211 0200"),
            ("group without a source", "02 3412 01 04030201 0200"),
            ("group without a destination", "04 3412 01 04030201 8877665544332211"),
            ("an extension beyond the end", "00 3412 20 04030201 0400 aabbcc"),
            ("an extension without a length", "00 3412 20 04030201 04"),
        ])
    func refused(what: String, octets: String) {
        #expect(throws: TransportError.self, "\(what)") { try MessageHeader.decode(hex(octets)) }
    }

    @Test("a header cut short anywhere is refused", arguments: samples.map(\.1))
    func truncated(octets: String) {
        let whole = hex(octets)
        for count in whole.indices {
            let error = #expect(throws: TransportError.self) { try MessageHeader.decode(Array(whole[..<count])) }
            #expect(error?.code == .malformedMessage)
        }
    }
}

@Suite struct ProtocolHeaderTests {
    private static let samples: [(ProtocolHeader, String)] = [
        (
            ProtocolHeader(
                isFromInitiator: true, needsAck: true, opcode: 8, exchangeID: 0x1234, protocolID: .interactionModel),
            "05 08 3412 0100"
        ),
        (
            ProtocolHeader(
                isFromInitiator: false, needsAck: false, acknowledged: 0x0102_0304, opcode: 0x10, exchangeID: 0x1234,
                protocolID: .secureChannel),
            "02 10 3412 0000 04030201"
        ),
        // The vendor comes before the number.
        (
            ProtocolHeader(
                isFromInitiator: true, needsAck: true, opcode: 1, exchangeID: 0xABCD,
                protocolID: ProtocolID(vendor: 0xFFF1, number: 3)),
            "15 01 cdab f1ff 0300"
        ),
        (
            ProtocolHeader(
                isFromInitiator: false, needsAck: true, acknowledged: 0, opcode: 2, exchangeID: 0,
                protocolID: ProtocolID(vendor: 1, number: 0)),
            "16 02 0000 0100 0000 00000000"
        ),
    ]

    @Test("every combination of fields is written and read", arguments: samples)
    func form(header: ProtocolHeader, octets: String) throws {
        #expect(header.encoded() == hex(octets))
        let decoded = try ProtocolHeader.decode(hex(octets) + [1, 2, 3])
        #expect(decoded.header == header)
        #expect(decoded.payload == [1, 2, 3])
    }

    @Test("secured extensions are skipped")
    func extensions() throws {
        let decoded = try ProtocolHeader.decode(hex("0d 08 3412 0100 0200 aabb 15 18"))
        #expect(decoded.header == Self.samples[0].0)
        #expect(decoded.payload == [0x15, 0x18])
    }

    @Test("opcode 0x10 is an acknowledgement in the secure channel protocol only")
    func standaloneAck() {
        #expect(Self.samples[1].0.isStandaloneAck)
        var other = Self.samples[1].0
        other.protocolID = ProtocolID(vendor: 0xFFF1, number: 0)
        #expect(!other.isStandaloneAck)
    }

    @Test("a header cut short anywhere is refused", arguments: samples.map(\.1) + ["0d 08 3412 0100 0200 aabb"])
    func truncated(octets: String) {
        let whole = hex(octets)
        for count in whole.indices {
            #expect(throws: TransportError.self) { try ProtocolHeader.decode(Array(whole[..<count])) }
        }
    }
}
