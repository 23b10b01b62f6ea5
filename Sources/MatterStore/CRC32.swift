/// The checksum of records: CRC-32 as in Ethernet and zip (polynomial 0x04C11DB7, reflected).
///
/// It detects accidents, not attackers; an attacker who can write here can also write the checksum.
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    /// The checksum of some bytes and, behind them, of further ones.
    package static func checksum(_ octets: some Sequence<UInt8>, _ more: ArraySlice<UInt8> = []) -> UInt32 {
        ~more.reduce(octets.reduce(UInt32.max, step), step)
    }

    private static func step(_ remainder: UInt32, _ octet: UInt8) -> UInt32 {
        remainder >> 8 ^ table[Int(truncatingIfNeeded: (remainder ^ UInt32(octet)) & 0xFF)]
    }
}
