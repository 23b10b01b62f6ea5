package import JSON

/// Lays values out over lines for a terminal: `key: value`, entries of lists behind dashes, what belongs together
/// indented. Everything is escaped.
public enum ValueLayout {
    /// The width of a usual terminal, in characters: how many columns it has.
    public static let width = 78
    private static let step = "  "

    /// At least one line.
    package static func lines(_ json: JSONValue) -> [String] {
        switch json {
        case .array(let items) where items.isEmpty: ["[]"]
        case .array(let items) where items.allSatisfy(\.isScalar): wrapped(items.map(TerminalText.text))
        case .array(let items): items.flatMap { entry(lines($0)) }
        case .object(let object) where object.members.isEmpty: ["{}"]
        case .object(let object): object.members.flatMap { member($0.key, $0.value) }
        default: [TerminalText.text(json)]
        }
    }

    private static func entry(_ lines: [String]) -> [String] {
        lines.enumerated().map { ($0.offset == 0 ? "- " : step) + $0.element }
    }

    private static func member(_ key: String, _ value: JSONValue) -> [String] {
        let inner = lines(value)
        let key = TerminalText.escaped(key) + ":"
        guard value.isStructured, !value.isShort(inner) else {
            return [inner == [""] ? key : "\(key) \(inner.joined(separator: " "))"]
        }
        return [key] + inner.map { step + $0 }
    }

    /// Texts separated by commas, as many on a line as fit.
    public static func wrapped(_ texts: [String], width: Int = width) -> [String] {
        var lines: [String] = []
        var line = ""
        for (index, text) in texts.enumerated() {
            let text = index + 1 < texts.count ? text + "," : text
            if !line.isEmpty, line.count + 1 + text.count > width {
                lines.append(line)
                line = text
            } else {
                line += (line.isEmpty ? "" : " ") + text
            }
        }
        return lines + [line]
    }
}

extension JSONValue {
    fileprivate var isScalar: Bool { !isStructured }

    fileprivate var isStructured: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    /// True if a list stands on the line of its key.
    fileprivate func isShort(_ lines: [String]) -> Bool {
        if case .array(let items) = self { return lines.count == 1 && items.allSatisfy(\.isScalar) }
        return lines == ["{}"]
    }
}
