import ArgumentParser
import MatterController

/// A value that stands behind the nodes of a command, as one word or several.
protocol TrailingValue: Sendable {
    /// Its range: `0%–100%`.
    static var forms: String { get }

    /// Words that it may be, for completion: all where they can be listed, else some that are usual.
    static var offers: [String] { get }

    /// The value at the end of some words, and how many of them it takes.
    static func last(of words: [String]) -> (value: Self, count: Int)?
}

extension TrailingValue {
    static var offers: [String] { [] }
}

extension TrailingValue where Self: ExpressibleByArgument {
    static func last(of words: [String]) -> (value: Self, count: Int)? {
        words.last.flatMap { Self(argument: $0) }.map { ($0, 1) }
    }
}

extension TrailingValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    static var forms: String { offers.joined(separator: ", ") }
    static var offers: [String] { allCases.map(\.rawValue) }
}

/// The nodes of a command, none if they are chosen by options, and its value as the last of the words.
struct NodesAndValue<Value: TrailingValue>: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The nodes, with /EP for an endpoint, or group:GROUP; and last the value: \(Value.forms).",
            valueName: "node-or-value"), completion: .kind(.nodesAndValue(Value.offers)))
    var words: [String]

    var nodes: [NodeArgument] {
        words.dropLast(Value.last(of: words)?.count ?? 1).compactMap { NodeArgument(argument: $0) }
    }

    func validate() throws {
        guard let (_, count) = Value.last(of: words) else {
            guard words.count > 1, let last = words.last else {
                throw ValidationError("Missing expected argument '<value>' (\(Value.forms))")
            }
            throw ValidationError("The value '\(last)' is invalid for '<value>' (\(Value.forms))")
        }
        for word in words.dropLast(count) where NodeArgument(argument: word) == nil {
            throw ValidationError(
                "The value '\(word)' is invalid for '<node>' (node id or name, with /EP for an endpoint)")
        }
    }

    /// - Throws: what ``validate()`` throws.
    func value() throws -> Value {
        guard let value = Value.last(of: words)?.value else {
            throw ValidationError("Missing expected argument '<value>' (\(Value.forms))")
        }
        return value
    }
}
