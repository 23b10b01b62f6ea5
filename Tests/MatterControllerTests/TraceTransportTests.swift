import MatterState
import Synchronization
import Testing

@testable import MatterController
@testable import MatterNetwork

/// Which way messages went, live and in captures.
@Suite("Transports in traces") struct TraceTransportTests {
    private final class Bytes: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }
        var all: [UInt8] { bytes.withLock { $0 } }
    }

    /// A status report outside of any session.
    private static func message(_ counter: UInt32, isFromInitiator: Bool) -> [UInt8] {
        let header = MessageHeader(
            sessionID: 0, counter: counter, source: isFromInitiator ? 0x77 : nil,
            destination: isFromInitiator ? .none : .node(0x77))
        let inner = ProtocolHeader(
            isFromInitiator: isFromInitiator, needsAck: false, opcode: SecureChannelOpcode.statusReport.rawValue,
            exchangeID: 9, protocolID: .secureChannel)
        return header.encoded() + inner.encoded() + StatusReport.sessionEstablished.encoded()
    }

    private static func decoded(_ bytes: [UInt8]) throws -> [TracedMessage] {
        var decoder = try CaptureDecoder(bytes)
        var found: [TracedMessage] = []
        while let message = decoder.next() { found.append(message) }
        return found
    }

    @Test("a trace of messages over Bluetooth has the names of both sides, and is read back with them")
    func bluetooth() throws {
        let bytes = Bytes()
        var outputs = MessageTrace.Outputs()
        outputs.capture = { bytes.add($0) }
        let trace = MessageTrace(outputs)
        let device = PeerAddress.bluetooth("C0:FF:EE:00:00:01")
        trace.sent(Self.message(1, isFromInitiator: true), to: device, from: 0)
        trace.received(Self.message(2, isFromInitiator: false), from: device, at: 0)
        let found = try Self.decoded(bytes.all)
        try #require(found.count == 2)
        #expect(found[0].text.contains("Bluetooth this host -> Bluetooth C0:FF:EE:00:00:01"), "\(found[0].text)")
        #expect(found[1].text.contains("Bluetooth C0:FF:EE:00:00:01 -> Bluetooth this host"), "\(found[1].text)")
        #expect(found.allSatisfy { $0.json["transport"] == "bluetooth" && $0.json["message"] == "StatusReport" })
    }

    @Test("messages over UDP and TCP say so")
    func network() throws {
        let near = try #require(UDPAddress(octets: [192, 0, 2, 1], port: 40_000))
        let far = try #require(UDPAddress(octets: [192, 0, 2, 7], port: 5540))
        let message = Self.message(1, isFromInitiator: true)
        let datagram = CaptureWriter.ipPacket(message, from: near, to: far)
        var framed: [UInt8] = []
        framed.append(littleEndian: UInt32(message.count))
        framed += message
        let ports: [UInt8] = [0x9C, 0x40, 0x15, 0xA4]
        let tcp: [UInt8] = ports + [0, 0, 0, 1, 0, 0, 0, 0, 0x50, 0x10, 0, 0, 0, 0, 0, 0] + framed
        let size = UInt8(tcp.count + 20)
        let head: [UInt8] = [0x45, 0, 0, size, 0, 1, 0x40, 0, 64, 6, 0, 0]
        let segment = head + near.octets + far.octets + tcp
        let capture = [datagram, segment].reduce(CaptureWriter.beginning(program: "test")) {
            $0 + CaptureWriter.packet($1, on: .network, at: 1_764_000_000_000_000, comment: "")
        }
        let found = try Self.decoded(capture)
        #expect(found.map { $0.json["transport"] } == ["udp", "tcp"], "\(found.map(\.text))")
        #expect(found.map { $0.text.contains(", TCP") } == [false, true], "\(found.map(\.text))")
        #expect(found.last?.text.contains("192.0.2.1:40000 -> 192.0.2.7:5540") == true)
    }
}
