/// Texts with the few tags of HTML that terms may have, as lines of plain text.
public enum PlainMarkup {
    /// The tags that begin a line.
    private static let blocks: Set<String> = [
        "br", "p", "li", "ol", "ul", "hr", "h1", "h2", "h3", "h4", "h5", "h6",
    ]
    private static let entities: [String: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ",
    ]
    private static let longestEntity = 10

    /// The lines of a text, without markup and empty lines. What is not a tag or an entity stays as it is.
    public static func lines(_ text: String) -> [String] {
        var lines = [""]
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "<":
                guard let end = rest.firstIndex(of: ">") else {
                    lines[lines.endIndex - 1].append(character)
                    continue
                }
                let name = rest[..<end].drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
                if blocks.contains(name) { lines.append(name == "li" && rest.first != "/" ? "- " : "") }
                rest = rest[rest.index(after: end)...]
            case "&":
                guard let end = rest.prefix(longestEntity).firstIndex(of: ";"),
                    let meant = entity(rest[..<end].lowercased())
                else {
                    lines[lines.endIndex - 1].append(character)
                    continue
                }
                if meant.isNewline { lines.append("") } else { lines[lines.endIndex - 1].append(meant) }
                rest = rest[rest.index(after: end)...]
            case _ where character.isNewline: lines.append("")
            case _ where character.isWhitespace: lines[lines.endIndex - 1].append(" ")
            default: lines[lines.endIndex - 1].append(character)
            }
        }
        return lines.map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
    }

    private static func entity(_ name: String) -> Character? {
        if let known = entities[name] { return known }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map { Character($0) }
    }
}
