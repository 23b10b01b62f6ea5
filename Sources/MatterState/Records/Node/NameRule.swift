import MatterBase

/// The rule for names of fabrics, nodes, groups and rooms: 1–64 printable characters, nothing that paths and options need
/// for themselves and, but for rooms, not a number.
public enum NameRule {
    private static let forbidden: Set<Character> = ["/", ":", "*", "?"]

    /// - Parameter mayBeNumber: whether the name cannot be taken for an id.
    package static func check(_ name: String, what: String, mayBeNumber: Bool = false) throws(RecordError) {
        func refuse(_ reason: String) -> RecordError {
            RecordError(
                .invalidName, "not a valid \(what) name: \(reason)",
                hint:
                    "names have 1 to 64 printable characters, \(mayBeNumber ? "" : "are not a number, ")do not begin with "
                    + "'-', and contain none of / : * ?")
        }
        // Scalars: a single character may have any number of accents.
        let length = name.unicodeScalars.count
        guard length > 0 else {
            throw RecordError(
                .invalidName, "a \(what) name cannot be empty", hint: "choose a name of 1 to 64 characters")
        }
        guard length <= 64 else { throw refuse("it has \(length) characters") }
        guard name.first != "-" else { throw refuse("it begins with '-'") }
        guard !name.contains(where: forbidden.contains) else { throw refuse("it contains one of / : * ?") }
        guard name.unicodeScalars.allSatisfy(isPrintable), name.first != " ", name.last != " " else {
            throw refuse("it has blanks at its ends or characters that do not print")
        }
        // The replacement for bytes that were no text on the command line.
        guard !name.unicodeScalars.contains("\u{FFFD}") else { throw refuse("it is not valid UTF-8") }
        guard mayBeNumber || parseNumber(name) == nil && !name.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw refuse("it is a number, and would be read as a node id")
        }
    }

    /// Whether two names are one to a person: case and accents do not matter.
    public static func isSame(_ name: String, _ other: String) -> Bool { name == other || plain(name) == plain(other) }

    private static func plain(_ name: String) -> String {
        let lower = name.lowercased()
        return lower.utf8.allSatisfy { $0 < 0x80 } ? lower : String(lower.map { letters[$0] ?? $0 })
    }

    /// The letters of the Latin script with accents, without them.
    private static let letters = [
        ("a", "àáâãäåāăą"), ("c", "çćĉċč"), ("d", "ďđ"), ("e", "èéêëēĕėęě"), ("g", "ĝğġģ"), ("h", "ĥħ"),
        ("i", "ìíîïĩīĭįı"),
        ("j", "ĵ"), ("k", "ķ"), ("l", "ĺļľŀł"), ("n", "ñńņň"), ("o", "òóôõöøōŏő"), ("r", "ŕŗř"), ("s", "śŝşšș"),
        ("t", "ţťŧț"), ("u", "ùúûüũūŭůűų"), ("w", "ŵ"), ("y", "ýÿŷ"), ("z", "źżž"),
    ].reduce(into: [Character: Character]()) { letters, entry in
        for accented in entry.1 { letters[accented] = Character(entry.0) }
    }

    package static func checkRoom(_ name: String) throws(RecordError) {
        try check(name, what: "room", mayBeNumber: true)
    }

    /// A node id as users write it: decimal or `0x…`.
    public static func parseNumber(_ text: String) -> UInt64? {
        let lowered = text.lowercased()
        return lowered.hasPrefix("0x") ? UInt64(lowered.dropFirst(2), radix: 16) : UInt64(lowered)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
