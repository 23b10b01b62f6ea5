/// Finds UDP datagrams and the messages of TCP connections in packets as a network carries them.
struct PacketReader: Sendable {
    /// The link type for users of which our own captures make use.
    static let bluetoothLink: UInt32 = 147
    /// The first bytes of our own packets of that type.
    static let bluetoothMark = Array("MatterBT".utf8)

    private var fragments = FragmentStore()
    private var streams = StreamStore()

    /// The things in a packet: several messages, or one of something else.
    mutating func items(_ data: [UInt8], link: UInt32, time: Int64, isCut: Bool) -> [CaptureReader.Item] {
        if link == Self.bluetoothLink { return [Self.bluetooth(data, time)] }
        return packet(data, link: link, time: time, isCut: isCut)
    }

    /// Faults about the parts that never came, at the end of a capture.
    mutating func end() -> [CaptureReader.Item] {
        [fragments.end(), streams.end()].compactMap { $0.map { .fault($0) } }
    }

    private mutating func packet(_ data: [UInt8], link: UInt32, time: Int64, isCut: Bool) -> [CaptureReader.Item] {
        var cursor = OctetCursor(data)
        let type: UInt16?
        switch link {
        case 0, 108:
            // BSD loopback: a number of the writing system's byte order, which is 2 for IPv4 and another for IPv6.
            guard cursor.skip(4) else { return [.fault("a packet is cut off")] }
            type = nil
        case 1:
            guard cursor.skip(12), let found: UInt16 = cursor.integer(isBigEndian: true) else {
                return [.fault("an Ethernet frame is cut off")]
            }
            type = Self.untagged(found, &cursor)
        case 12, 14, 101, 228, 229: type = nil
        case 113:
            guard cursor.skip(14), let found: UInt16 = cursor.integer(isBigEndian: true) else {
                return [.fault("a packet is cut off")]
            }
            type = Self.untagged(found, &cursor)
        case 276:
            guard let found: UInt16 = cursor.integer(isBigEndian: true), cursor.skip(18) else {
                return [.fault("a packet is cut off")]
            }
            type = Self.untagged(found, &cursor)
        default: return [.other("link type \(link)")]
        }
        if let type, type != 0x0800, type != 0x86DD { return [.other("Ethernet type \(type)")] }
        var ahead = cursor
        guard let first = ahead.octet() else { return [.fault("a packet is cut off")] }
        switch first >> 4 {
        case 4: return version4(&cursor, time, isCut)
        case 6: return version6(&cursor, time, isCut)
        default: return [type == nil && link != 101 ? .other("no IP") : .fault("an IP packet of version \(first >> 4)")]
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

    // MARK: IP

    /// The facts of a packet above the header of IP.
    private struct Carried {
        var source: [UInt8]
        var destination: [UInt8]
        var time: Int64
        var isCut: Bool
        /// By the header; 0 for segments that the network card was to cut.
        var length: Int
    }

    private mutating func version4(_ cursor: inout OctetCursor, _ time: Int64, _ isCut: Bool) -> [CaptureReader.Item] {
        guard let first = cursor.octet(), cursor.skip(1), let length: UInt16 = cursor.integer(isBigEndian: true),
            let id: UInt16 = cursor.integer(isBigEndian: true),
            let fragment: UInt16 = cursor.integer(isBigEndian: true), cursor.skip(1), let next = cursor.octet(),
            cursor.skip(2), let source = cursor.octets(4), let destination = cursor.octets(4)
        else { return [.fault("an IPv4 header is cut off")] }
        let header = Int(first & 0x0F) * 4
        guard header >= 20, cursor.skip(header - 20) else { return [.fault("an IPv4 header of \(header) bytes")] }
        let carried = Carried(
            source: source, destination: destination, time: time, isCut: isCut, length: Int(length) - header)
        guard fragment & 0x3FFF != 0 else { return content(next, &cursor, carried) }
        guard next == Self.udp || next == Self.tcp else { return [.other("IP protocol \(next)")] }
        let key = FragmentStore.Key(source: source, destination: destination, id: UInt32(id), next: next)
        return part(
            of: key, &cursor, carried, at: Int(fragment & 0x1FFF) * 8, hasMore: fragment & 0x2000 != 0)
    }

    private mutating func version6(_ cursor: inout OctetCursor, _ time: Int64, _ isCut: Bool) -> [CaptureReader.Item] {
        guard cursor.skip(4), let length: UInt16 = cursor.integer(isBigEndian: true), let next = cursor.octet(),
            cursor.skip(1), let source = cursor.octets(16), let destination = cursor.octets(16)
        else { return [.fault("an IPv6 header is cut off")] }
        return content(
            next, &cursor,
            Carried(source: source, destination: destination, time: time, isCut: isCut, length: Int(length)))
    }

    private static let (udp, tcp, fragmentHeader): (UInt8, UInt8, UInt8) = (17, 6, 44)
    private static let mostHeaders = 8

    /// - Parameter next: the protocol, or the extension header of IPv6, that comes first.
    private mutating func content(
        _ next: UInt8, _ cursor: inout OctetCursor, _ carried: Carried, isWhole: Bool = false
    ) -> [CaptureReader.Item] {
        var (next, carried) = (next, carried)
        let isIPv6 = carried.source.count == 16
        for _ in 0..<Self.mostHeaders {
            switch next {
            case Self.udp: return [Self.datagram(&cursor, carried)]
            case Self.tcp: return segment(&cursor, carried)
            case 0 where isIPv6, 43 where isIPv6, 60 where isIPv6:
                guard let following = cursor.octet(), let size = cursor.octet(), cursor.skip(Int(size) * 8 + 6) else {
                    return [.fault("an IPv6 extension header is cut off")]
                }
                next = following
                carried.length -= Int(size) * 8 + 8
            case Self.fragmentHeader where isIPv6 && !isWhole:
                guard let following = cursor.octet(), cursor.skip(1),
                    let place: UInt16 = cursor.integer(isBigEndian: true),
                    let id: UInt32 = cursor.integer(isBigEndian: true)
                else { return [.fault("an IPv6 extension header is cut off")] }
                carried.length -= 8
                next = following
                // A packet in one fragment is not taken for a part (RFC 6946).
                guard place & 0xFFF9 != 0 else { continue }
                guard [Self.udp, Self.tcp, 60].contains(following) else { return [.other("IP protocol \(following)")] }
                let key = FragmentStore.Key(
                    source: carried.source, destination: carried.destination, id: id, next: following)
                return part(of: key, &cursor, carried, at: Int(place & 0xFFF8), hasMore: place & 1 != 0)
            default: return [.other("IP protocol \(next)")]
            }
        }
        return [.fault("an IPv6 packet of extension headers only")]
    }

    private mutating func part(
        of key: FragmentStore.Key, _ cursor: inout OctetCursor, _ carried: Carried, at offset: Int, hasMore: Bool
    ) -> [CaptureReader.Item] {
        guard let bytes = cursor.octets(carried.length) else {
            return [.fault(Self.cut(cursor.remaining, carried.length, carried.isCut, "a fragment"))]
        }
        switch fragments.add(bytes, of: key, at: offset, hasMore: hasMore, time: carried.time) {
        case .waiting: return [.other("a fragment")]
        case .fault(let reason): return [.fault(reason)]
        case .whole(let bytes):
            var whole = OctetCursor(bytes)
            var carried = carried
            (carried.length, carried.isCut) = (bytes.count, false)
            return content(key.next, &whole, carried, isWhole: true)
        }
    }

    private static func cut(_ kept: Int, _ count: Int, _ isCut: Bool, _ what: String) -> String {
        isCut
            ? "the capture kept \(kept) of \(count) bytes of \(what): capture whole packets (tcpdump -s 0)"
            : "\(what) is cut off"
    }

    // MARK: Above IP

    private static func datagram(_ cursor: inout OctetCursor, _ carried: Carried) -> CaptureReader.Item {
        guard let from: UInt16 = cursor.integer(isBigEndian: true), let to: UInt16 = cursor.integer(isBigEndian: true),
            let size: UInt16 = cursor.integer(isBigEndian: true), cursor.skip(2)
        else { return .fault("a UDP header is cut off") }
        // Segments that the network card was to cut have a length of 0.
        let count = size == 0 ? carried.length - 8 : Int(size) - 8
        guard count >= 0, size == 0 || Int(size) <= max(carried.length, 8) else {
            return .fault("a UDP datagram of \(size) bytes in \(carried.length)")
        }
        guard let payload = cursor.octets(count) else {
            return .fault(cut(cursor.remaining, count, carried.isCut, "a UDP datagram"))
        }
        guard let sender = PeerAddress(octets: carried.source, port: from),
            let receiver = PeerAddress(octets: carried.destination, port: to)
        else { return .fault("addresses of another kind") }
        return .datagram(
            CapturedDatagram(time: carried.time, source: sender, destination: receiver, payload: payload))
    }

    private mutating func segment(_ cursor: inout OctetCursor, _ carried: Carried) -> [CaptureReader.Item] {
        guard let from: UInt16 = cursor.integer(isBigEndian: true), let to: UInt16 = cursor.integer(isBigEndian: true),
            let number: UInt32 = cursor.integer(isBigEndian: true), cursor.skip(4), let size = cursor.octet(),
            let flags = cursor.octet(), cursor.skip(6)
        else { return [.fault("a TCP header is cut off")] }
        let header = Int(size >> 4) * 4
        guard header >= 20, cursor.skip(header - 20) else { return [.fault("a TCP header of \(header) bytes")] }
        // Segments that the network card was to cut have a length of 0.
        let count = carried.length <= 0 ? cursor.remaining : carried.length - header
        // A frame may have padding behind the packet; bytes that the capture lacks are a gap.
        guard count >= 0, let bytes = cursor.octets(count),
            let source = PeerAddress(octets: carried.source, port: from),
            let destination = PeerAddress(octets: carried.destination, port: to)
        else { return [.other("TCP")] }
        let (messages, fault) = streams.add(
            StreamStore.Segment(number: number, begins: flags & 0x02 != 0, ends: flags & 0x05 != 0, bytes: bytes),
            of: StreamStore.Key(source: source, destination: destination))
        var items: [CaptureReader.Item] = messages.map {
            .datagram(
                CapturedDatagram(
                    time: carried.time, source: source, destination: destination, payload: $0, carrier: .tcp))
        }
        if let fault { items.append(.fault(fault)) }
        return items.isEmpty ? [.other("TCP")] : items
    }

    /// A message over Bluetooth as our own captures have it: a mark, the names of both sides with their lengths, the message.
    private static func bluetooth(_ data: [UInt8], _ time: Int64) -> CaptureReader.Item {
        var cursor = OctetCursor(data)
        guard cursor.octets(bluetoothMark.count) == bluetoothMark else { return .other("link type \(bluetoothLink)") }
        guard let first = cursor.octet(), let source = cursor.octets(Int(first)), let second = cursor.octet(),
            let destination = cursor.octets(Int(second))
        else { return .fault("a packet is cut off") }
        return .datagram(
            CapturedDatagram(
                time: time, source: .bluetooth(String(decoding: source, as: UTF8.self)),
                destination: .bluetooth(String(decoding: destination, as: UTF8.self)), payload: cursor.rest(),
                carrier: .bluetooth))
    }
}
