/// Reads numbers of either byte order out of a capture, and never beyond its end.
struct OctetCursor {
    private let bytes: [UInt8]
    private(set) var position: Int
    let end: Int

    init(_ bytes: [UInt8], from start: Int = 0, to end: Int? = nil) {
        self.bytes = bytes
        self.end = min(max(0, end ?? bytes.count), bytes.count)
        position = min(max(0, start), self.end)
    }

    var remaining: Int { end - position }

    /// - Returns: `nil` if it does not fit before the end; nothing is read then.
    mutating func integer<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self, isBigEndian: Bool
    ) -> Number? {
        let width = Number.bitWidth / 8
        guard remaining >= width else { return nil }
        var result: Number = 0
        for offset in 0..<width {
            let shift = 8 * (isBigEndian ? width - 1 - offset : offset)
            result |= Number(truncatingIfNeeded: bytes[position + offset]) << Number(truncatingIfNeeded: shift)
        }
        position += width
        return result
    }

    mutating func octet() -> UInt8? { integer(UInt8.self, isBigEndian: true) }

    /// The next bytes; `nil` if there are not so many.
    mutating func octets(_ count: Int) -> [UInt8]? {
        guard count >= 0, remaining >= count else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// - Returns: `false` if there are not so many; nothing is skipped then.
    @discardableResult
    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, remaining >= count else { return false }
        position += count
        return true
    }

    mutating func rest() -> [UInt8] {
        defer { position = end }
        return Array(bytes[position..<end])
    }
}
