import JSON

/// An unsigned number with a name of its own: node ids, fabric ids and their like (Matter core specification, 2.5).
///
/// It prints as upper-case hexadecimal digits of its full width, as certificates and DNS-SD names spell it.
public protocol MatterIdentifier: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible
where RawValue: FixedWidthInteger & UnsignedInteger {
    /// The value with a number.
    init(rawValue: RawValue)
}

extension MatterIdentifier {
    /// The value with a number.
    public init(_ number: RawValue) { self.init(rawValue: number) }

    /// Reads exactly as many hexadecimal digits as the number is wide, in either case and without a prefix.
    public init?(hex text: some StringProtocol) {
        guard let number: RawValue = HexDigits.number(text.uppercased().utf8) else { return nil }
        self.init(rawValue: number)
    }

    /// The value as text, as messages and logs show it.
    public var description: String { HexDigits.text(rawValue) }

    /// Whether the first comes before the second.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Numbers as upper-case hexadecimal digits of fixed width.
enum HexDigits {
    static func text<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
        Hex.number(number, digits: Number.bitWidth / 4, uppercase: true)
    }

    static func ascii<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> [UInt8] {
        Array(text(number).utf8)
    }

    /// The number that exactly `Number.bitWidth / 4` upper-case digits spell.
    static func number<Number: FixedWidthInteger & UnsignedInteger>(_ digits: some Sequence<UInt8>) -> Number? {
        var number: Number = 0
        var count = 0
        for digit in digits {
            count += 1
            guard count <= Number.bitWidth / 4 else { return nil }
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | Number(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "F"): number = number << 4 | Number(digit - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return count == Number.bitWidth / 4 ? number : nil
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, most significant first.
    var bigEndianOctets: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
    /// The bytes of the number, least significant first.
    var littleEndianOctets: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
