/// What is printed in a locale without Unicode (`LC_ALL=C`): signs of ours by something similar, all else as `\u{…}`.
enum PlainCharacters {
    private static let similar: [Character: String] = Dictionary(
        uniqueKeysWithValues: [
            ("°", ""), ("…", "..."), ("–", "-"), ("—", "-"), ("·", "-"), ("✓", "+"), ("✗", "x"), ("×", "x"), ("µ", "u"),
            ("²", "2"), ("³", "3"), ("’", "'"), ("‘", "'"), ("“", "\""), ("”", "\""), ("→", "->"), ("←", "<-"),
            ("≥", ">="),
            ("≤", "<="), ("±", "+-"), ("█", "#"),
        ])

    /// Whether a locale has Unicode. One that is not said has it: so do the terminals of today.
    static func isUnicode(_ variable: (String) -> String?) -> Bool {
        guard let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") else { return true }
        let name = locale.lowercased()
        return name.contains("utf-8") || name.contains("utf8")
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
