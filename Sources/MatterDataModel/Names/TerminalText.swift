/// Text from devices, files and users, made safe for a terminal or a tab-separated line.
package enum TerminalText {
    /// Writes control characters, line separators and bidirectional controls as `\x1b`- or `\u202e`-style escapes.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: mustEscape) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard mustEscape(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            let isShort = scalar.value <= 0xFF
            let padding = String(repeating: "0", count: max(0, (isShort ? 2 : 4) - digits.count))
            result += (isShort ? "\\x" : "\\u") + padding + digits
        }
        return result
    }

    private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}

/// A name or value as an error message quotes it: escaped, and not longer than a line.
func quoted(_ text: String) -> String {
    let escaped = TerminalText.escaped(text)
    return escaped.count <= 80 ? "\"\(escaped)\"" : "\"\(escaped.prefix(77))…\""
}
