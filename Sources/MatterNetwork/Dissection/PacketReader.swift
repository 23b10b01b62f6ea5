/// Finds the UDP datagram in a packet as a network carries it.
enum PacketReader {
    static func item(_ data: [UInt8], link: UInt32, time: Int64, isCut: Bool) -> CaptureReader.Item {
        var cursor = OctetCursor(data)
        let type: UInt16?
        switch link {
        case 0, 108:
            // BSD loopback: a number of the writing system's byte order, which is 2 for IPv4 and another for IPv6.
            guard cursor.skip(4) else { return .fault("a packet is cut off") }
            type = nil
        case 1:
            guard cursor.skip(12), let found: UInt16 = cursor.integer(isBigEndian: true) else {
                return .fault("an Ethernet frame is cut off")
            }
            type = untagged(found, &cursor)
        case 12, 14, 101, 228, 229: type = nil
        case 113:
            guard cursor.skip(14), let found: UInt16 = cursor.integer(isBigEndian: true) else {
                return .fault("a packet is cut off")
            }
            type = untagged(found, &cursor)
        case 276:
            guard let found: UInt16 = cursor.integer(isBigEndian: true), cursor.skip(18) else {
                return .fault("a packet is cut off")
            }
            type = untagged(found, &cursor)
        default: return .other("link type \(link)")
        }
        if let type, type != 0x0800, type != 0x86DD { return .other("Ethernet type \(type)") }
        var ahead = cursor
        guard let first = ahead.octet() else { return .fault("a packet is cut off") }
        switch first >> 4 {
        case 4: return version4(&cursor, time, isCut)
        case 6: return version6(&cursor, time, isCut)
        default: return type == nil && link != 101 ? .other("no IP") : .fault("an IP packet of version \(first >> 4)")
        }
    }

    /// The type behind the tags of virtual networks.
    private static func untagged(_ type: UInt16, _ cursor: inout OctetCursor) -> UInt16? {
        var type = type
        var tags = 0
        while type == 0x8100 || type == 0x88A8, tags < 4 {
            guard cursor.skip(2), let next: UInt16 = cursor.integer(isBigEndian: true) else { return type }
            type = next
            tags += 1
        }
        return type
    }

    private static func version4(_ cursor: inout OctetCursor, _ time: Int64, _ isCut: Bool) -> CaptureReader.Item {
        guard let first = cursor.octet(), cursor.skip(1), let length: UInt16 = cursor.integer(isBigEndian: true),
            cursor.skip(2), let fragment: UInt16 = cursor.integer(isBigEndian: true), cursor.skip(1),
            let next = cursor.octet(), cursor.skip(2), let source = cursor.octets(4),
            let destination = cursor.octets(4)
        else { return .fault("an IPv4 header is cut off") }
        let header = Int(first & 0x0F) * 4
        guard header >= 20, cursor.skip(header - 20) else { return .fault("an IPv4 header of \(header) bytes") }
        guard next == 17 else { return .other("IP protocol \(next)") }
        guard fragment & 0x3FFF == 0 else { return .other("a fragment") }
        return datagram(&cursor, Int(length) - header, source, destination, time, isCut)
    }

    private static func version6(_ cursor: inout OctetCursor, _ time: Int64, _ isCut: Bool) -> CaptureReader.Item {
        guard cursor.skip(4), let length: UInt16 = cursor.integer(isBigEndian: true), var next = cursor.octet(),
            cursor.skip(1), let source = cursor.octets(16), let destination = cursor.octets(16)
        else { return .fault("an IPv6 header is cut off") }
        var left = Int(length)
        var extensions = 0
        while next != 17 {
            guard extensions < 8 else { return .fault("an IPv6 packet of extension headers only") }
            switch next {
            case 0, 43, 60:
                guard let following = cursor.octet(), let size = cursor.octet(), cursor.skip(Int(size) * 8 + 6) else {
                    return .fault("an IPv6 extension header is cut off")
                }
                next = following
                left -= Int(size) * 8 + 8
            case 44: return .other("a fragment")
            default: return .other("IP protocol \(next)")
            }
            extensions += 1
        }
        return datagram(&cursor, left, source, destination, time, isCut)
    }

    /// - Parameter length: that of the UDP datagram by the IP header.
    private static func datagram(
        _ cursor: inout OctetCursor, _ length: Int, _ source: [UInt8], _ destination: [UInt8], _ time: Int64,
        _ isCut: Bool
    ) -> CaptureReader.Item {
        guard let from: UInt16 = cursor.integer(isBigEndian: true), let to: UInt16 = cursor.integer(isBigEndian: true),
            let size: UInt16 = cursor.integer(isBigEndian: true), cursor.skip(2)
        else { return .fault("a UDP header is cut off") }
        // Segments that the network card was to cut have a length of 0.
        let count = size == 0 ? length - 8 : Int(size) - 8
        guard count >= 0, size == 0 || Int(size) <= max(length, 8) else {
            return .fault("a UDP datagram of \(size) bytes in \(length)")
        }
        guard let payload = cursor.octets(count) else {
            return .fault(
                isCut
                    ? "the capture kept \(cursor.remaining) of \(count) bytes of a datagram: capture whole packets (tcpdump -s 0)"
                    : "a UDP datagram is cut off")
        }
        guard let sender = PeerAddress(octets: source, port: from),
            let receiver = PeerAddress(octets: destination, port: to)
        else { return .fault("addresses of another kind") }
        return .datagram(CapturedDatagram(time: time, source: sender, destination: receiver, payload: payload))
    }
}
