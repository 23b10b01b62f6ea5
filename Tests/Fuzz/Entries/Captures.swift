import MatterBase
import MatterController
import MatterModel

@testable import MatterCrypto
@testable import MatterNetwork

extension FuzzEntry {
    /// The input of a trace and of `decode`: captures, their messages, and multicast DNS.
    static let captures = [
        FuzzEntry("capture") {
            try Seeds.captures()
        } run: { bytes in
            guard var decoder = try? CaptureDecoder(bytes) else { return .refused }
            var depth = Depth.refused
            while let message = decoder.next() {
                // Control characters would reach a terminal; only the lines of a block are ours.
                precondition(message.text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
                if message.text.contains("unsecured") || message.text.contains("DNS response") { depth = .deep }
            }
            return depth
        },
        FuzzEntry("multicast-dns") {
            Seeds.multicastDNS
        } run: { bytes in
            let (_, items, fault) = MulticastDNS.dissect(bytes)
            for item in items { precondition(item.text.unicodeScalars.allSatisfy { $0.value >= 0x20 }) }
            return fault == nil && !items.isEmpty ? .deep : .refused
        },
        FuzzEntry("dissection") {
            // The first byte says which message it is.
            Seeds.interactionMessages.map { [$0.0] + $0.1 }
        } run: { bytes in
            guard let first = bytes.first, let opcode = InteractionModelOpcode(rawValue: first % 10 + 1) else {
                return .refused
            }
            let (items, fault) = InteractionDissector().dissect(opcode, Array(bytes.dropFirst()))
            for item in items { precondition(item.text.unicodeScalars.allSatisfy { $0.value >= 0x20 }) }
            return fault == nil ? .deep : .refused
        },
    ]
}

extension Seeds {
    static func captures() throws -> [[UInt8]] {
        guard let near = UDPAddress(octets: [192, 0, 2, 1], port: 40_000),
            let far = UDPAddress(octets: [192, 0, 2, 2], port: 5540),
            let multicast = UDPAddress(octets: [224, 0, 0, 251], port: 5353)
        else { return [] }
        let packets =
            try datagrams().map { CaptureWriter.ipPacket($0, from: near, to: far) }
            + multicastDNS.map { CaptureWriter.ipPacket($0, from: near, to: multicast) }
        let pcapng = packets.reduce(CaptureWriter.beginning(program: "fuzz")) {
            $0 + CaptureWriter.packet($1, on: .network, at: 1_764_000_000_000_000, comment: "text")
        }
        var pcap: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 1, 0, 0, 0]
        for packet in packets {
            let frame = [UInt8](repeating: 2, count: 12) + [0x08, 0x00] + packet
            for number in [1_764_000_000, 5, UInt32(frame.count), UInt32(frame.count)] as [UInt32] {
                pcap.append(littleEndian: number)
            }
            pcap += frame
        }
        return [pcapng, pcap, try connection(), try broken(), try bluetooth()]
    }

    /// A capture of raw IP packets.
    private static func raw(_ packets: [[UInt8]], link: UInt8 = 101) -> [UInt8] {
        packets.reduce(
            [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, link, 0, 0, 0]
        ) { bytes, packet in
            var bytes = bytes
            for number in [1_764_000_000, 5, UInt32(packet.count), UInt32(packet.count)] as [UInt32] {
                bytes.append(littleEndian: number)
            }
            return bytes + packet
        }
    }

    /// A message outside of any session.
    private static func unsecured() throws -> [UInt8] {
        try datagrams().first { $0.count > 16 && $0[1...3] == [0, 0, 0] } ?? []
    }

    /// An IPv6 packet between two hosts.
    private static func six(_ next: UInt8, _ content: [UInt8]) -> [UInt8] {
        let host: [UInt8] = [0xFD] + [UInt8](repeating: 0, count: 14)
        return [0x60, 0, 0, 0, UInt8(content.count >> 8), UInt8(content.count & 0xFF), next, 64] + host + [1] + host
            + [2] + content
    }

    private static func segment(_ number: UInt8, _ flags: UInt8, _ bytes: [UInt8], port: UInt8 = 0xA4) -> [UInt8] {
        let ports: [UInt8] = [0xC3, 0x51, 0x15, port]
        return six(6, ports + [0, 0, 0, number, 0, 0, 0, 0, 0x50, flags, 0, 0, 0, 0, 0, 0] + bytes)
    }

    private static func framed(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt32(message.count))
        return bytes + message
    }

    /// The pieces of a datagram.
    private static func pieces(_ message: [UInt8]) -> (first: [UInt8], rest: [UInt8]) {
        let datagram: [UInt8] = [0xC3, 0x51, 0x15, 0xA4, 0, UInt8(message.count + 8), 0, 0] + message
        return (Array(datagram.prefix(16)), Array(datagram.dropFirst(16)))
    }

    private static func four(_ place: [UInt8], _ content: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [0x45, 0, 0, UInt8(content.count + 20), 0, 7]
        return head + place + [64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2] + content
    }

    /// Messages over TCP, in segments out of their turn; and a datagram in fragments, over IPv6 and IPv4.
    private static func connection() throws -> [UInt8] {
        let message = try unsecured()
        let bytes = framed(message)
        let (first, rest) = pieces(message)
        return raw([
            segment(0, 2, []), segment(11, 0x10, Array(bytes.dropFirst(10))), segment(1, 0x10, Array(bytes.prefix(10))),
            six(44, [17, 0, 0, 1, 0, 0, 0, 9] + first), six(44, [17, 0, 0, 16, 0, 0, 0, 9] + rest),
            four([0x20, 0], first), four([0, 2], rest),
        ])
    }

    /// Fragments that overlap, repeat, or are missing; connections that begin in the midst, end, or carry something else.
    private static func broken() throws -> [UInt8] {
        let message = try unsecured()
        let (first, rest) = pieces(message)
        return raw([
            six(44, [17, 0, 0, 1, 0, 0, 0, 9] + first), six(44, [17, 0, 0, 1, 0, 0, 0, 9] + first),
            six(44, [17, 0, 0, 8, 0, 0, 0, 9] + rest), six(44, [17, 0, 0, 16, 0, 0, 0, 8] + rest),
            six(44, [17, 0, 0, 0, 0, 0, 0, 7] + first + rest), four([0x20, 0], Array(first.prefix(7))),
            segment(90, 0x10, [1, 2, 3, 4, 5]), segment(95, 0x10, framed(message)), segment(95, 0x10, framed(message)),
            segment(200, 0x11, framed(message)), segment(0, 2, [], port: 80),
            segment(1, 0x10, Array("GET / HTTP/1.1".utf8), port: 80), segment(0, 2, []),
            segment(1, 0x14, framed(message) + Array("GET / HTTP/1.1".utf8)),
        ])
    }

    private static func bluetooth() throws -> [UInt8] {
        raw(
            try datagrams().map { CaptureWriter.bluetoothPacket($0, from: nil, to: "C0:FF:EE:00:00:01") },
            link: 147)
    }

    /// An answer with a PTR, an SRV with a pointer, a TXT and an AAAA record; and a question.
    static let multicastDNS: [[UInt8]] = {
        func labels(_ name: String) -> [UInt8] {
            name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
        }
        func record(_ name: [UInt8], _ type: UInt8, _ data: [UInt8]) -> [UInt8] {
            name + [0, type, 0x80, 1, 0, 0, 0, 120, 0, UInt8(data.count)] + data
        }
        let instance: [UInt8] = [3] + Array("abc".utf8) + [0xC0, 12]
        let answer: [UInt8] =
            [0, 0, 0x84, 0, 0, 0, 0, 4, 0, 0, 0, 0] + record(labels("_matter._tcp.local"), 12, instance)
            + record(instance, 33, [0, 0, 0, 0, 0x15, 0xA4] + labels("lamp.local"))
            + record(instance, 16, [7] + Array("SII=500".utf8) + [5] + Array("xa=".utf8) + [0, 0xFF])
            + record(labels("lamp.local"), 28, [0xFD] + [UInt8](repeating: 0, count: 15))
        let question: [UInt8] =
            [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + labels("_matterc._udp.local") + [0, 12, 0x80, 1]
        return [answer, question]
    }()

    /// Opcodes, less one, with messages.
    static let interactionMessages: [(UInt8, [UInt8])] = [
        (
            7,
            InvokeRequest(commands: [
                CommandDataIB(
                    path: CommandPath(endpoint: 1, cluster: 0x101, command: 0),
                    fields: .structure([TLVElement(.context(0), .octets([1, 2, 3, 4]))]))
            ]).encoded()
        ),
        (
            4,
            ReportData(
                subscriptionID: 7,
                attributes: [
                    .data(
                        AttributeDataIB(
                            dataVersion: 1, path: AttributePath(endpoint: 1, cluster: 6, attribute: 0),
                            data: .bool(true)))
                ]
            ).encoded()
        ),
    ]
}
