/// Reads the text of a rule, as ``Conformance`` is written in the table: `[Rev >= v2 & LT].a+, CT | HS, O`.
struct ConformanceParser {
    private var rest: Substring.UTF8View
    /// Conditions in conditions.
    private var depth = 0

    private static let deepest = 32

    static func items(_ text: String) -> [Conformance.Item]? {
        var parser = ConformanceParser(rest: Substring(text).utf8)
        var items: [Conformance.Item] = []
        repeat {
            guard let item = parser.item() else { return nil }
            items.append(item)
        } while parser.take(",")
        parser.skipBlanks()
        return parser.rest.isEmpty ? items : nil
    }

    private mutating func item() -> Conformance.Item? {
        if take("[") {
            guard let condition = condition(), take("]") else { return nil }
            return .optional(condition, choice())
        }
        let start = rest
        if let word = name() {
            switch word {
            case "M" where isAtEnd: return .mandatory(nil)
            case "O": return .optional(nil, choice())
            case "P" where isAtEnd: return .provisional
            case "D" where isAtEnd: return .deprecated
            case "X" where isAtEnd: return .disallowed
            case "desc" where isAtEnd: return .described
            default: rest = start
            }
        }
        guard let condition = condition() else { return nil }
        return choice().map { .chosen(condition, $0) } ?? .mandatory(condition)
    }

    /// Whether the item ends here: `M` is one, and the feature M of `M & LT` is not.
    private var isAtEnd: Bool {
        var ahead = self
        ahead.skipBlanks()
        return ahead.rest.first.map { $0 == UInt8(ascii: ",") } ?? true
    }

    private mutating func choice() -> Conformance.Choice? {
        let start = rest
        guard take("."), let letter = name() else {
            rest = start
            return nil
        }
        return Conformance.Choice(letter: letter, allowsMore: take("+"))
    }

    // MARK: Conditions, the loosest first

    private mutating func condition() -> Conformance.Condition? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest, var left = exclusion() else { return nil }
        while take("|") {
            guard let right = exclusion() else { return nil }
            left = .or(left, right)
        }
        return left
    }

    private mutating func exclusion() -> Conformance.Condition? {
        guard var left = conjunction() else { return nil }
        while take("^") {
            guard let right = conjunction() else { return nil }
            left = .either(left, right)
        }
        return left
    }

    private mutating func conjunction() -> Conformance.Condition? {
        guard var left = term() else { return nil }
        while take("&") {
            guard let right = term() else { return nil }
            left = .and(left, right)
        }
        return left
    }

    private mutating func term() -> Conformance.Condition? {
        if take("!") {
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.deepest else { return nil }
            return term().map { .not($0) }
        }
        if take("(") {
            guard let inner = condition(), take(")") else { return nil }
            return inner
        }
        guard let name = name() else { return nil }
        guard take(">") else { return .name(name) }
        guard take("=") else { return number().map { .above(name, $0) } }
        // The only comparison of this kind is that of the revision: `Rev >= v2`.
        guard name == "Rev", take("v"), let revision = number().flatMap({ UInt16(exactly: $0) }) else { return nil }
        return .revision(revision)
    }

    // MARK: Words

    private mutating func skipBlanks() {
        while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func name() -> String? {
        skipBlanks()
        let word = rest.prefix { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
        }
        guard let first = word.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        rest = rest[word.endIndex...]
        return String(Substring(word))
    }

    private mutating func number() -> Int64? {
        skipBlanks()
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest[digits.endIndex...]
        return Int64(Substring(digits))
    }
}
