/// Octets as hexadecimal digits.
public enum Hex {
    /// Two digits per byte.
    public static func encode(_ octets: some Sequence<UInt8>, uppercase: Bool = false) -> String {
        let digits = Array(uppercase ? "0123456789ABCDEF".utf8 : "0123456789abcdef".utf8)
        var text: [UInt8] = []
        for octet in octets {
            text.append(digits[Int(octet >> 4)])
            text.append(digits[Int(octet & 0x0F)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads digits of either case; blanks and line ends between bytes and a leading `hex:` or `0x` are allowed.
    ///
    /// - Throws: ``HexError``, which names the first wrong character.
    public static func decode(_ text: String) throws(HexError) -> [UInt8] {
        var octets: [UInt8] = []
        var high: UInt8?
        var position = 0
        let prefix = ["hex:", "0x", "0X"].first { text.hasPrefix($0) }?.unicodeScalars.count ?? 0
        for scalar in text.unicodeScalars {
            position += 1
            if position <= prefix { continue }
            if high == nil, scalar == " " || scalar == "\n" || scalar == "\r" || scalar == "\t" { continue }
            guard let digit = value(of: scalar) else {
                throw HexError("character \(position) is not a hexadecimal digit")
            }
            if let upper = high {
                octets.append(upper << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { throw HexError("an odd number of hexadecimal digits") }
        return octets
    }

    /// A number with leading zeros.
    ///
    /// - Parameter digits: the least count of them.
    public static func number(_ number: some FixedWidthInteger & UnsignedInteger, digits: Int, uppercase: Bool = false)
        -> String
    {
        let text = String(number, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// Reads exactly some digits of either case, 16 at most.
    package static func number(_ text: String, digits: Int) -> UInt64? {
        guard text.utf8.count == digits, text.unicodeScalars.allSatisfy({ value(of: $0) != nil }) else { return nil }
        return UInt64(text, radix: 16)
    }

    private static func value(of scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case "0"..."9": UInt8(scalar.value - 0x30)
        case "a"..."f": UInt8(scalar.value - 0x61 + 10)
        case "A"..."F": UInt8(scalar.value - 0x41 + 10)
        default: nil
        }
    }
}

/// Why a text is not hexadecimal.
public struct HexError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A phrase for a person.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The value as text, as messages and logs show it.
    public var description: String { reason }
}
