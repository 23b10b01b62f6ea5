/// Text from outside as XML 1.0 takes it: marks as entities, and characters that it forbids as `U+FFFD`.
enum XMLText {
    /// For the value of an attribute between double quotes: on one line.
    static func attribute(_ text: String) -> String { escaped(text, keepsLines: false) }

    /// For the contents of an element.
    static func content(_ text: String) -> String { escaped(text, keepsLines: true) }

    private static func escaped(_ text: String, keepsLines: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n" where keepsLines: result += "\n"
            case "\n", "\t", "\r": result += " "
            default: result.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return result
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar.value != 0xFFFE
            && scalar.value != 0xFFFF
    }
}
