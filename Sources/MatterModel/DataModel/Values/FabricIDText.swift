import JSON

/// The id of a fabric as it is printed everywhere: 16 hexadecimal digits.
enum FabricIDText {
    private static let digits = 16

    static func text(_ number: UInt64) -> String {
        Hex.number(number, digits: digits, uppercase: true)
    }

    /// - Returns: `nil` unless the text has exactly 16 hexadecimal digits; other forms are plain numbers.
    static func parse(_ text: String) -> UInt64? {
        guard text.utf8.count == digits, text.allSatisfy(\.isHexDigit) else { return nil }
        return UInt64(text, radix: 16)
    }
}
