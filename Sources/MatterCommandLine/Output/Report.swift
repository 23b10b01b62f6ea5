import MatterController

/// A result, described once: an object in JSON, lines where it stands alone, a row of a table among others.
public struct Report: Sendable, JSONConvertible {
    /// Puts fields together.
    @resultBuilder public enum Builder {
        /// A field.
        public static func buildExpression(_ field: Field) -> [Field] { [field] }
        /// The fields of another report.
        public static func buildExpression(_ report: Report) -> [Field] { report.fields }
        /// One after the other.
        public static func buildBlock(_ parts: [Field]...) -> [Field] { parts.flatMap { $0 } }
        /// Those that are there.
        public static func buildOptional(_ part: [Field]?) -> [Field] { part ?? [] }
        /// Those of one branch.
        public static func buildEither(first part: [Field]) -> [Field] { part }
        /// Those of the other branch.
        public static func buildEither(second part: [Field]) -> [Field] { part }
        /// Those of a loop.
        public static func buildArray(_ parts: [[Field]]) -> [Field] { parts.flatMap { $0 } }
    }

    private let fields: [Field]

    /// A report of these fields.
    public init(@Builder _ fields: () throws -> [Field]) rethrows { self.fields = try fields() }

    /// The members that have a value.
    public var json: JSONValue {
        var object = JSONObject()
        for field in fields { if let key = field.key { object[key] = field.value } }
        return .object(object)
    }

    /// The fields with a label and something to say.
    var lines: [(key: String, values: [String])] {
        fields.compactMap { field in field.label.flatMap { label in field.texts.map { (label, $0) } } }
    }

    /// The fields that are columns, with `-` for what is missing.
    var row: [String] {
        fields.filter { $0.column != nil }.map { $0.texts?.joined(separator: ", ") ?? "-" }
    }

    var columns: [String] { fields.compactMap(\.column) }
}

/// A member of a result: under a key for programs, under a label or a heading for people.
public struct Field: Sendable {
    fileprivate var key: String?
    fileprivate var value: JSONValue?
    fileprivate var label: String?
    fileprivate var column: String?
    /// Safe for a terminal; the parts of a list may stand on several lines.
    fileprivate var texts: [String]?

    /// - Parameters:
    ///   - value: `nil` if there is none: then no member, no line, and `-` in a table.
    ///   - label: before the value on a line of its own; empty for the value alone, `nil` for no line.
    ///   - column: the heading in a table; `nil` for no column.
    ///   - text: the value for people, if it is not as in JSON.
    public init(
        _ key: String, _ value: (some JSONConvertible)?, label: String? = nil, column: String? = nil,
        text: String? = nil
    ) {
        self.key = key
        self.value = value?.json
        self.label = label
        self.column = column
        guard label != nil || column != nil else { return }
        texts = (text.map(TerminalText.escaped) ?? self.value.map(TerminalText.text)).map { [$0] }
    }

    /// For people only.
    public init(label: String? = nil, column: String? = nil, _ texts: [String]?) {
        self.label = label
        self.column = column
        self.texts = texts?.map(TerminalText.escaped)
    }
}

// MARK: Values

extension JSONValue {
    /// Octets as `hex:0A0B`.
    public static func octets(_ octets: [UInt8]) -> JSONValue {
        .string("hex:" + Hex.encode(octets, uppercase: true))
    }

    /// Milliseconds with one decimal.
    public static func milliseconds(_ duration: Duration) -> JSONValue {
        .double((duration / .milliseconds(1) * 10).rounded() / 10)
    }
}
