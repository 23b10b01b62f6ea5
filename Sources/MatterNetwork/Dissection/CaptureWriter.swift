/// Makes the blocks of a pcapng file whose packets have comments (draft-ietf-opsawg-pcapng): Wireshark and tshark show them
/// without a plug-in.
package enum CaptureWriter {
    /// The interfaces of our files.
    package enum Interface: UInt32, CaseIterable, Sendable {
        /// UDP over IP, without a frame around it.
        case network = 0
        /// Messages over Bluetooth, with the names of both sides before them: a link type for users.
        case bluetooth = 1

        fileprivate var link: UInt16 { self == .network ? 101 : 147 }
        fileprivate var name: String { self == .network ? "network" : "bluetooth" }
    }

    private static let byteOrder: UInt32 = 0x1A2B_3C4D
    private static let comment: UInt16 = 1
    private static let longestComment = 0xFFF0

    /// The beginning of a file: the section, and the interfaces with a resolution of microseconds.
    ///
    /// - Parameter program: the name of the program that writes.
    package static func beginning(program: String) -> [UInt8] {
        var section: [UInt8] = []
        section.append(littleEndian: byteOrder)
        section.append(littleEndian: UInt16(1))
        section.append(littleEndian: UInt16(0))
        section.append(littleEndian: UInt64.max)
        section += option(4, Array(program.utf8)) + endOfOptions
        return Interface.allCases.reduce(block(0x0A0D_0D0A, section)) { bytes, interface in
            var description: [UInt8] = []
            description.append(littleEndian: interface.link)
            description.append(littleEndian: UInt16(0))
            description.append(littleEndian: UInt32(0))
            description += option(2, Array(interface.name.utf8)) + option(9, [6]) + endOfOptions
            return bytes + block(1, description)
        }
    }

    /// A packet with a comment.
    ///
    /// - Parameter time: microseconds since 1970.
    package static func packet(_ data: [UInt8], on interface: Interface, at time: Int64, comment text: String)
        -> [UInt8]
    {
        let time = UInt64(clamping: time)
        var body: [UInt8] = []
        body.append(littleEndian: interface.rawValue)
        body.append(littleEndian: UInt32(truncatingIfNeeded: time >> 32))
        body.append(littleEndian: UInt32(truncatingIfNeeded: time))
        body.append(littleEndian: UInt32(data.count))
        body.append(littleEndian: UInt32(data.count))
        body += padded(data)
        if !text.isEmpty { body += option(comment, Array(cut(text).utf8)) + endOfOptions }
        return block(6, body)
    }

    /// A message over Bluetooth: a mark, and the names of sender and receiver, each with its length before it.
    ///
    /// - Parameter source: `nil` for this host, as `destination`.
    package static func bluetoothPacket(_ message: [UInt8], from source: String?, to destination: String?) -> [UInt8] {
        func name(_ text: String?) -> [UInt8] {
            let octets = Array((text ?? "this host").utf8.prefix(Int(UInt8.max)))
            return [UInt8(octets.count)] + octets
        }
        return PacketReader.bluetoothMark + name(source) + name(destination) + message
    }

    /// A UDP datagram in an IP packet. An address that is not known is that of no host.
    package static func ipPacket(_ payload: [UInt8], from source: UDPAddress, to destination: UDPAddress) -> [UInt8] {
        let isIPv6 = source.isIPv6 || destination.isIPv6
        let from = isIPv6 ? source.mappedOctets : source.octets
        let to = isIPv6 ? destination.mappedOctets : destination.octets
        let length = 8 + payload.count
        var udp = big(source.port) + big(destination.port) + big(UInt16(truncatingIfNeeded: length))
        let pseudo = from + to + big(UInt32(truncatingIfNeeded: length)) + [0, 0, 0, 17]
        let checksum = checksum(pseudo + udp + [0, 0] + payload)
        udp += big(checksum == 0 ? 0xFFFF : checksum) + payload
        guard !isIPv6 else {
            return [0x60, 0, 0, 0] + big(UInt16(truncatingIfNeeded: length)) + [17, 64] + from + to + udp
        }
        var header: [UInt8] = [0x45, 0] + big(UInt16(truncatingIfNeeded: length + 20)) + [0, 0, 0x40, 0, 64, 17]
        let sum = Self.checksum(header + [0, 0] + from + to)
        header += big(sum) + from + to
        return header + udp
    }

    // MARK: Parts

    private static let endOfOptions: [UInt8] = [0, 0, 0, 0]

    private static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        let length = UInt32(body.count + 12)
        var bytes: [UInt8] = []
        bytes.append(littleEndian: type)
        bytes.append(littleEndian: length)
        bytes += body
        bytes.append(littleEndian: length)
        return bytes
    }

    private static func option(_ code: UInt16, _ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: code)
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: value.count))
        return bytes + padded(value)
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    /// A comment has a length of two bytes.
    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longestComment else { return text }
        let end = "\n… (cut off)"
        return String(decoding: Array(text.utf8.prefix(longestComment - end.utf8.count)), as: UTF8.self) + end
    }

    private static func big(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// The Internet checksum (RFC 1071).
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for start in stride(from: 0, to: bytes.count, by: 2) {
            let low = start + 1 < bytes.count ? UInt32(bytes[start + 1]) : 0
            sum += UInt32(bytes[start]) << 8 | low
            sum = (sum & 0xFFFF) + (sum >> 16)
        }
        return ~UInt16(truncatingIfNeeded: sum)
    }
}
