/// Octets as text: base64 with padding (RFC 4648, sections 4 and 5).
enum Base64Text {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// Appends the text of octets, in the standard alphabet.
    static func append(_ octets: [UInt8], to text: inout [UInt8]) {
        var bits: UInt32 = 0
        var count = 0
        func digit(_ shift: UInt32) -> UInt8 { alphabet[Int(bits >> shift & 0x3F)] }
        for octet in octets {
            bits = bits << 8 | UInt32(octet)
            count += 1
            guard count == 3 else { continue }
            text.append(digit(18))
            text.append(digit(12))
            text.append(digit(6))
            text.append(digit(0))
            (bits, count) = (0, 0)
        }
        guard count > 0 else { return }
        bits <<= count == 1 ? 16 : 8
        text.append(digit(18))
        text.append(digit(12))
        text.append(count == 1 ? padding : digit(6))
        text.append(padding)
    }

    /// The text of octets, in the standard alphabet.
    static func encoded(_ octets: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((octets.count + 2) / 3 * 4)
        append(octets, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The octets of a text in either alphabet, with padding or without.
    ///
    /// - Returns: `nil` for other characters, a number of them that no octets give, and bits behind the last octet.
    static func decoded(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        if digits.count.isMultiple(of: 4) {
            for _ in 0..<2 where digits.last == padding { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(digits.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for digit in digits {
            guard let value = value(digit) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            octets.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bits & ((1 << count) - 1) == 0 ? octets : nil
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
