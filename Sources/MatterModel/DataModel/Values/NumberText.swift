/// Numbers as people type them: decimal or `0x…`, underscores between digits.
enum NumberText {
    /// `255`, `0xFF`, `1_000`; `nil` for anything else, and for what does not fit 64 bits.
    static func unsigned(_ text: String) -> UInt64? {
        guard let first = text.utf8.first, 0x30...0x39 ~= first, let last = text.utf8.last, last != UInt8(ascii: "_")
        else {
            return nil
        }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            let digits = text.dropFirst(2).filter { $0 != "_" }
            // The standard initializer would take a sign here.
            return digits.utf8.first == UInt8(ascii: "+") || digits.utf8.first == UInt8(ascii: "-")
                ? nil : UInt64(digits, radix: 16)
        }
        return UInt64(text.filter { $0 != "_" })
    }

    /// Parses with an optional sign.
    static func signed(_ text: String) -> Int64? {
        guard text.hasPrefix("-") else {
            return unsigned(text.hasPrefix("+") ? String(text.dropFirst()) : text).flatMap { Int64(exactly: $0) }
        }
        guard let magnitude = unsigned(String(text.dropFirst())) else { return nil }
        return magnitude == Int64.min.magnitude ? Int64.min : Int64(exactly: magnitude).map { -$0 }
    }
}
