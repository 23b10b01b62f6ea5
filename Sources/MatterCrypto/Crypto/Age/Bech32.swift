/// Bech32 (BIP 173) without its limit of 90 characters: how recipients and identities of age are written.
enum Bech32 {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let checksumCount = 6

    /// - Parameter prefix: in lower case.
    static func encode(_ octets: [UInt8], prefix: String) -> String {
        let values = regrouped(octets, from: 8, to: 5, padding: true) ?? []
        let expanded = expand(Array(prefix.utf8)) + values + [UInt8](repeating: 0, count: checksumCount)
        let remainder = polymod(expanded) ^ 1
        let checksum = (0..<checksumCount).map { UInt8(truncatingIfNeeded: remainder >> UInt32(5 * (5 - $0))) & 31 }
        return prefix + "1" + String(decoding: (values + checksum).map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// The octets of a text; `nil` if the prefix, a character or the checksum is wrong, or upper and lower case are mixed.
    static func decode(_ text: String, prefix: String) -> [UInt8]? {
        let lower = text.lowercased()
        guard text == lower || text == text.uppercased() else { return nil }
        let characters = Array(lower.utf8)
        let start = Array(prefix.utf8) + [UInt8(ascii: "1")]
        guard characters.starts(with: start) else { return nil }
        var values: [UInt8] = []
        for character in characters.dropFirst(start.count) {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            values.append(UInt8(value))
        }
        guard values.count >= checksumCount, polymod(expand(Array(prefix.utf8)) + values) == 1 else { return nil }
        return regrouped(Array(values.dropLast(checksumCount)), from: 5, to: 8, padding: false)
    }

    private static func expand(_ prefix: [UInt8]) -> [UInt8] { prefix.map { $0 >> 5 } + [0] + prefix.map { $0 & 31 } }

    private static func polymod(_ values: [UInt8]) -> UInt32 {
        let generator: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]
        var remainder: UInt32 = 1
        for value in values {
            let top = remainder >> 25
            remainder = (remainder & 0x1FF_FFFF) << 5 ^ UInt32(value)
            for (bit, term) in generator.enumerated() where top >> UInt32(bit) & 1 == 1 { remainder ^= term }
        }
        return remainder
    }

    /// Bits in groups of another size. What is left over has to be padding, and to be zero.
    private static func regrouped(_ values: [UInt8], from: UInt32, to: UInt32, padding: Bool) -> [UInt8]? {
        var (pool, bits): (UInt32, UInt32) = (0, 0)
        var result: [UInt8] = []
        for value in values {
            pool = (pool << from | UInt32(value)) & 0xFFFF
            bits += from
            while bits >= to {
                bits -= to
                result.append(UInt8(truncatingIfNeeded: pool >> bits & (1 << to - 1)))
            }
        }
        if padding {
            if bits > 0 { result.append(UInt8(truncatingIfNeeded: pool << (to - bits) & (1 << to - 1))) }
        } else if bits >= from || pool & (1 << bits - 1) != 0 {
            return nil
        }
        return result
    }
}
