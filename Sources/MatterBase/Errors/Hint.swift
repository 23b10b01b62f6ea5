/// The next step after an error.
///
/// A step that is the same in any program is in words: `"free some space and try again"`. One that each program takes in its
/// own way has a name, and the values that it needs; the program has the words.
public struct Hint: Hashable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    package enum Part: Hashable, Sendable {
        case words(String)
        case step(String, [String])
    }

    package var parts: [Part]

    /// A hint of these words alone.
    public init(_ words: String) { parts = [.words(words)] }

    /// A hint of these words alone.
    public init(stringLiteral words: String) { self.init(words) }

    private init(parts: [Part]) { self.parts = parts }

    /// A step that the program words.
    public static func step(_ name: String, _ values: String...) -> Hint { Hint(parts: [.step(name, values)]) }

    package static func + (one: Hint, other: Hint) -> Hint { Hint(parts: one.parts + other.parts) }

    /// For logs: steps by their names.
    public var description: String { text { name, values in "[\(([name] + values).joined(separator: " "))]" } }

    /// - Parameter wording: the words for a step.
    public func text(_ wording: (String, [String]) -> String) -> String {
        parts.map { part in
            switch part {
            case .words(let words): words
            case .step(let name, let values): wording(name, values)
            }
        }.joined()
    }
}
