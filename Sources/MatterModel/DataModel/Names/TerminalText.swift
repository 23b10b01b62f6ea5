import JSON

/// Text from devices, files and users, made safe for a terminal or a tab-separated line.
public enum TerminalText {
    /// Writes control characters, line separators, bidirectional controls and what is invisible as `\x1b`-, `\u202e`- or
    /// `\U000e0061`-style escapes. Joiners stay where writing needs them.
    public static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isControl($0) || isJoiner($0) }) else { return text }
        var result = ""
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let isNeeded =
                isJoiner(scalar) && index > 0 && index + 1 < scalars.count
                && joins(scalars[index - 1], scalar, scalars[index + 1])
            guard isControl(scalar) || isJoiner(scalar) && !isNeeded else {
                result.unicodeScalars.append(scalar)
                continue
            }
            let (mark, count) = scalar.value <= 0xFF ? ("x", 2) : scalar.value <= 0xFFFF ? ("u", 4) : ("U", 8)
            result += "\\\(mark)" + Hex.number(scalar.value, digits: count)
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F,
            0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }

    /// ZERO WIDTH NON-JOINER and ZERO WIDTH JOINER.
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x200C || scalar.value == 0x200D }

    /// True if a joiner shows: between the parts of an emoji, or between letters of the scripts from Arabic to Khmer.
    private static func joins(_ left: Unicode.Scalar, _ joiner: Unicode.Scalar, _ right: Unicode.Scalar) -> Bool {
        let scripts: ClosedRange<UInt32> = 0x0600...0x17FF
        if scripts.contains(left.value), scripts.contains(right.value) { return true }
        let isEmoji = left.properties.isEmoji || left.properties.isEmojiModifier || left.properties.isVariationSelector
        return joiner.value == 0x200D && isEmoji && !left.isASCII && right.properties.isEmoji && !right.isASCII
    }
}

/// A name or value as an error message quotes it: escaped, and not longer than a line.
func quoted(_ text: String) -> String {
    let escaped = TerminalText.escaped(text)
    return escaped.count <= 80 ? "'\(escaped)'" : "'\(escaped.prefix(77))…'"
}
