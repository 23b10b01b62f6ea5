/// How a terminal shows a piece of text (ECMA-48, Select Graphic Rendition).
enum TextStyle: String {
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case cyan = "36"

    func applied(to text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }

    /// The look of a cell: red for what does not work, yellow for what wants attention, bold for what is open.
    init?(of cell: String, under heading: String) {
        func begins(_ words: String...) -> Bool { words.contains { cell.hasPrefix($0) } }
        switch heading {
        case "REACHABLE" where cell == "no": self = .red
        case "BATTERY":
            guard let percent = Double(cell.prefix { $0 != "%" }), percent < 20 else { return nil }
            self = .yellow
        case "STATE" where begins("no answer", "unreachable"): self = .red
        case "STATE" where begins("unlocked", "not fully locked", "open"): self = .bold
        case "RESULT" where begins("failed", "error"): self = .red
        case "RESULT" where begins("done"), "VERDICT" where begins("passed"): self = .green
        case "VERDICT" where begins("failed"): self = .red
        case "CURRENT" where cell == "yes", "IN USE" where cell == "yes": self = .bold
        default: return nil
        }
    }

    /// A line of stderr whose first word says what it is.
    static func labelled(_ line: String) -> String {
        for (label, style) in [("error:", TextStyle.red), ("warning:", .yellow), ("hint:", .bold), ("why:", .bold)]
        where line.hasPrefix(label) {
            return style.applied(to: label) + line.dropFirst(label.count)
        }
        return line
    }
}
