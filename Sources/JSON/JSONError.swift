/// Why a JSON text was refused, and where.
public struct JSONError: Error, Equatable {
    /// The kind of fault.
    public enum Code: String, Sendable {
        /// Something else than the grammar asks for, or the end of the text too early.
        case syntax = "json.syntax"
        /// A string that is not valid UTF-8, or half of a surrogate pair.
        case invalidText = "json.invalid-text"
        /// A number beyond 64 bits, or beyond what a double can hold.
        case outOfRange = "json.out-of-range"
        /// A key that occurs twice in one object.
        case duplicateKey = "json.duplicate-key"
        /// Text after the value.
        case trailingData = "json.trailing-data"
        /// Deeper nesting, more values or more text than the parser accepts.
        case limitExceeded = "json.limit-exceeded"
    }

    /// The fault, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person.
    public var reason: String
    /// From 1.
    package var line: Int
    /// In characters (Unicode scalars) from 1.
    package var column: Int

    package init(_ code: Code, _ reason: String, line: Int, column: Int) {
        self.code = code
        self.reason = reason
        self.line = line
        self.column = column
    }

    /// The event, in words for people.
    public var message: String {
        "\(reason) (line \(line), column \(column))"
    }
}
