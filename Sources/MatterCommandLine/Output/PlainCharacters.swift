/// The text for a locale without Unicode (`LC_ALL=C`): signs of ours by something similar, all else as `\u{…}`.
enum PlainCharacters {
    private static let similar: [Character: String] = Dictionary(
        uniqueKeysWithValues: [
            ("°", ""), ("…", "..."), ("–", "-"), ("—", "-"), ("·", "-"), ("✓", "+"), ("✗", "x"), ("×", "x"), ("µ", "u"),
            ("²", "2"), ("³", "3"), ("’", "'"), ("‘", "'"), ("“", "\""), ("”", "\""), ("→", "->"), ("←", "<-"),
            ("≥", ">="),
            ("≤", "<="), ("±", "+-"), ("█", "#"), ("├", "|"), ("└", "`"), ("│", "|"), ("─", "-"),
        ])

    private static let unicode = Array("utf8".utf8)

    /// Whether a locale has Unicode. One that is not said has it: so do the terminals of today.
    static func isUnicode(_ variable: (String) -> String?) -> Bool {
        guard let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") else { return true }
        // `de_DE.UTF-8`, `C.utf8`. Byte by byte: a search in a string would take a third of the time of a start.
        let name = locale.utf8.lazy.filter { $0 != UInt8(ascii: "-") }.map { $0 | 0x20 }
        var found = 0
        for byte in name where found < unicode.count {
            found = byte == unicode[found] ? found + 1 : byte == unicode[0] ? 1 : 0
        }
        return found == unicode.count
    }

    static func isNeeded(for text: String) -> Bool { !text.utf8.allSatisfy { $0 < 0x80 } }

    /// - Parameter isJSON: whether the text is JSON, in which a character can be written by its number.
    static func text(_ text: String, isJSON: Bool) -> String {
        var plain = ""
        for character in text {
            if character.isASCII {
                plain.append(character)
            } else if isJSON {
                for unit in String(character).utf16 { plain += "\\u" + digits(UInt32(unit)) }
            } else if let similar = similar[character] {
                plain += similar
            } else {
                for scalar in character.unicodeScalars { plain += "\\u{\(String(scalar.value, radix: 16))}" }
            }
        }
        return plain
    }

    private static func digits(_ unit: UInt32) -> String {
        let digits = String(unit, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
