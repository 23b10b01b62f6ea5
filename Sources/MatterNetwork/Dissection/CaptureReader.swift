/// Reads captures: pcap of both byte orders and resolutions, and pcapng (draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng).
///
/// A damaged packet or block is told and left behind; reading ends where the file cannot be followed any more.
package struct CaptureReader: Sendable {
    /// One thing in the file.
    package enum Item: Equatable, Sendable {
        case datagram(CapturedDatagram)
        /// A packet that completes no message, and its kind.
        case other(String)
        /// A defect of the file or of a packet.
        case fault(String)
    }

    private enum Form {
        case pcap(isBigEndian: Bool, unitsPerSecond: Int64, link: UInt32)
        case pcapng
    }

    private struct Interface {
        var link: UInt32
        var unitsPerSecond: Int64 = 1_000_000
        var isBinary = false
        var offset: Int64 = 0
    }

    /// No packet of a network is larger; a length beyond it is a defect.
    private static let largestPacket = 1 << 20
    private static let mostInterfaces = 4096

    private let bytes: [UInt8]
    private let form: Form
    private var cursor: OctetCursor
    private var interfaces: [Interface] = []
    private var isBigEndian = false
    private var hasEnded = false
    private var packets = PacketReader()
    /// Further things of the last packet.
    private var waiting: ArraySlice<Item> = []
    private var hasToldRest = false

    /// - Throws: ``CaptureError`` for a file that does not begin like a capture.
    package init(_ bytes: [UInt8]) throws(CaptureError) {
        self.bytes = bytes
        cursor = OctetCursor(bytes)
        guard let magic: UInt32 = cursor.integer(isBigEndian: true) else {
            throw CaptureError("\(bytes.count) bytes are not a capture")
        }
        switch magic {
        case 0x0A0D_0D0A:
            form = .pcapng
            cursor = OctetCursor(bytes)
        case 0xA1B2_C3D4, 0xA1B2_3C4D, 0xD4C3_B2A1, 0x4D3C_B2A1:
            let isBig = magic >> 24 == 0xA1
            guard cursor.skip(16), let link: UInt32 = cursor.integer(isBigEndian: isBig) else {
                throw CaptureError("the header of the capture is cut off")
            }
            let isNano = magic == 0xA1B2_3C4D || magic == 0x4D3C_B2A1
            // The upper bits say how long a frame check sequence is.
            form = .pcap(
                isBigEndian: isBig, unitsPerSecond: isNano ? 1_000_000_000 : 1_000_000, link: link & 0xFFFF)
        default:
            throw CaptureError("the file does not begin like a pcap or pcapng file")
        }
    }

    /// The next thing in the file; `nil` at its end.
    package mutating func next() -> Item? {
        if let item = waiting.popFirst() { return item }
        if !hasEnded, let item = read() { return item }
        if !hasToldRest {
            hasToldRest = true
            return found(packets.end())
        }
        return nil
    }

    /// The first of several things; the others wait.
    private mutating func found(_ items: [Item]) -> Item? {
        waiting = items.dropFirst()
        return items.first
    }

    private mutating func read() -> Item? {
        switch form {
        case .pcap(let isBigEndian, let units, let link):
            return packet(isBigEndian: isBigEndian, unitsPerSecond: units, link: link)
        case .pcapng:
            while !hasEnded {
                if let item = block() { return item }
            }
            return nil
        }
    }

    private mutating func ended(_ fault: String?) -> Item? {
        hasEnded = true
        return fault.map { .fault($0) }
    }

    // MARK: pcap

    private mutating func packet(isBigEndian: Bool, unitsPerSecond: Int64, link: UInt32) -> Item? {
        guard cursor.remaining > 0 else { return ended(nil) }
        guard let seconds: UInt32 = cursor.integer(isBigEndian: isBigEndian),
            let fraction: UInt32 = cursor.integer(isBigEndian: isBigEndian),
            let length: UInt32 = cursor.integer(isBigEndian: isBigEndian),
            let original: UInt32 = cursor.integer(isBigEndian: isBigEndian)
        else { return ended("the header of the last packet is cut off") }
        guard length <= Self.largestPacket else { return ended("a packet of \(length) bytes: the file is damaged") }
        guard let data = cursor.octets(Int(length)) else { return ended("the last packet is cut off") }
        let time = Int64(seconds) * 1_000_000 + Int64(fraction) * 1_000_000 / unitsPerSecond
        return found(packets.items(data, link: link, time: time, isCut: original > length))
    }

    // MARK: pcapng

    private mutating func block() -> Item? {
        guard cursor.remaining > 0 else { return ended(nil) }
        let start = cursor.position
        guard let type: UInt32 = cursor.integer(isBigEndian: isBigEndian) else { return ended("a block is cut off") }
        if type == 0x0A0D_0D0A {
            var ahead = cursor
            guard ahead.skip(4), let order: UInt32 = ahead.integer(isBigEndian: true) else {
                return ended("the header of a section is cut off")
            }
            switch order {
            case 0x1A2B_3C4D: isBigEndian = true
            case 0x4D3C_2B1A: isBigEndian = false
            default: return ended("a section without a byte order")
            }
            interfaces = []
        }
        guard let length: UInt32 = cursor.integer(isBigEndian: isBigEndian) else { return ended("a block is cut off") }
        guard length >= 12, length % 4 == 0, length <= UInt32(Int32.max), start + Int(length) <= bytes.count else {
            return ended("a block of \(length) bytes: the file is damaged or cut off")
        }
        let end = start + Int(length)
        var body = OctetCursor(bytes, from: cursor.position, to: end - 4)
        cursor = OctetCursor(bytes, from: end)
        switch type {
        case 0x0000_0001: return interface(&body)
        case 0x0000_0006: return enhanced(&body)
        case 0x0000_0003: return simple(&body)
        case 0x0000_0002: return obsolete(&body)
        default: return nil
        }
    }

    private mutating func interface(_ body: inout OctetCursor) -> Item? {
        guard interfaces.count < Self.mostInterfaces else { return .fault("more interfaces than any machine has") }
        guard let link: UInt16 = body.integer(isBigEndian: isBigEndian), body.skip(6) else {
            // Later packets count interfaces, so it has its place.
            interfaces.append(Interface(link: .max))
            return .fault("the description of an interface is cut off")
        }
        var interface = Interface(link: UInt32(link))
        while let code: UInt16 = body.integer(isBigEndian: isBigEndian),
            let length: UInt16 = body.integer(isBigEndian: isBigEndian), code != 0
        {
            guard let value = body.octets(Int(length)) else { break }
            body.skip((4 - Int(length) % 4) % 4)
            if code == 9, let resolution = value.first {
                interface.isBinary = resolution & 0x80 != 0
                let exponent = Int(resolution & 0x7F)
                guard exponent <= (interface.isBinary ? 62 : 18) else { continue }
                interface.unitsPerSecond =
                    interface.isBinary
                    ? 1 << Int64(exponent) : (0..<exponent).reduce(Int64(1)) { product, _ in product * 10 }
            } else if code == 14, value.count == 8 {
                var number = OctetCursor(value)
                interface.offset = Int64(
                    truncatingIfNeeded: number.integer(UInt64.self, isBigEndian: isBigEndian) ?? 0)
            }
        }
        interfaces.append(interface)
        return nil
    }

    private mutating func enhanced(_ body: inout OctetCursor) -> Item? {
        guard let number: UInt32 = body.integer(isBigEndian: isBigEndian),
            let high: UInt32 = body.integer(isBigEndian: isBigEndian),
            let low: UInt32 = body.integer(isBigEndian: isBigEndian),
            let length: UInt32 = body.integer(isBigEndian: isBigEndian),
            let original: UInt32 = body.integer(isBigEndian: isBigEndian)
        else { return .fault("a packet's block is cut off") }
        return packet(body, number, high, low, length, original)
    }

    private mutating func obsolete(_ body: inout OctetCursor) -> Item? {
        guard let number: UInt16 = body.integer(isBigEndian: isBigEndian), body.skip(2),
            let high: UInt32 = body.integer(isBigEndian: isBigEndian),
            let low: UInt32 = body.integer(isBigEndian: isBigEndian),
            let length: UInt32 = body.integer(isBigEndian: isBigEndian),
            let original: UInt32 = body.integer(isBigEndian: isBigEndian)
        else { return .fault("a packet's block is cut off") }
        return packet(body, UInt32(number), high, low, length, original)
    }

    private mutating func packet(
        _ body: OctetCursor, _ number: UInt32, _ high: UInt32, _ low: UInt32, _ length: UInt32, _ original: UInt32
    ) -> Item? {
        var body = body
        guard interfaces.indices.contains(Int(number)) else {
            return .fault("a packet of interface \(number), which is unknown")
        }
        guard let data = body.octets(Int(length)) else { return .fault("a packet is cut off") }
        let interface = interfaces[Int(number)]
        return found(
            packets.items(
                data, link: interface.link, time: Self.microseconds(UInt64(high) << 32 | UInt64(low), interface),
                isCut: original > length))
    }

    private mutating func simple(_ body: inout OctetCursor) -> Item? {
        guard let original: UInt32 = body.integer(isBigEndian: isBigEndian), let interface = interfaces.first else {
            return .fault("a packet's block is cut off, or has no interface")
        }
        let length = min(Int(original), body.remaining)
        guard let data = body.octets(length) else { return .fault("a packet is cut off") }
        return found(packets.items(data, link: interface.link, time: 0, isCut: Int(original) > length))
    }

    private static func microseconds(_ units: UInt64, _ interface: Interface) -> Int64 {
        let perSecond = UInt64(interface.unitsPerSecond)
        let (seconds, rest) = units.quotientAndRemainder(dividingBy: perSecond)
        // Precise enough, and cannot overflow.
        let fraction = Int64(Double(rest) / Double(perSecond) * 1_000_000)
        let whole = (Int64(clamping: seconds) &+ interface.offset).multipliedReportingOverflow(by: 1_000_000)
        return whole.overflow ? 0 : whole.partialValue &+ fraction
    }
}
