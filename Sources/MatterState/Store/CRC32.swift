/// The checksum of records: CRC-32 as in Ethernet and zip (polynomial 0x04C11DB7, reflected).
///
/// It detects accidents, not attackers; an attacker who can write here can also write the checksum.
enum CRC32 {
    /// For half a byte: small enough to be made at each start.
    private static let table: [UInt32] = (0..<16).map { index in
        (0..<4).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    /// The checksum of some bytes and, behind them, of further ones.
    static func checksum(_ octets: ArraySlice<UInt8>, _ more: ArraySlice<UInt8> = []) -> UInt32 {
        ~remainder(remainder(.max, octets.span.bytes), more.span.bytes)
    }

    static func checksum(_ octets: RawSpan) -> UInt32 {
        ~remainder(.max, octets)
    }

    private static func remainder(_ before: UInt32, _ octets: RawSpan) -> UInt32 {
        var remainder = before
        for offset in octets.byteOffsets {
            remainder ^= UInt32(octets.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
            remainder = remainder >> 4 ^ table[Int(truncatingIfNeeded: remainder & 0xF)]
            remainder = remainder >> 4 ^ table[Int(truncatingIfNeeded: remainder & 0xF)]
        }
        return remainder
    }
}
