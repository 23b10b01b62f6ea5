/// An error of one of our modules: a code for programs, a sentence for people, and what it depends on.
public protocol CodedError: Error, Sendable, CustomStringConvertible {
    /// The kinds of fault of the module. A raw value is stable and meant for programs: `fabric.unknown`.
    associatedtype Code: ErrorCode

    /// The failure, as a name that programs can compare.
    var code: Code { get }
    /// The raw value of the code, unless the error stands for another one.
    var id: String { get }
    /// That of the code, unless the error knows better: a status of the node, or the fault underneath.
    var kind: FailureKind { get }
    /// The fault, as a sentence for a person. It may quote a device: escape it before it reaches a terminal.
    var reason: String { get }
    /// The reason with the place where the fault is, if the error knows one.
    var message: String { get }
    /// The next step, where there is one.
    var hint: Hint? { get }
    /// The phase in which it happened, where there is one.
    var stageName: String? { get }
    /// Further facts for programs, in the order in which they are shown.
    var facts: [Fact] { get }
}

extension CodedError {
    /// The raw value of the code.
    public var id: String { code.rawValue }
    /// The kind of failure, from which the exit code follows.
    public var kind: FailureKind { code.kind }
    /// The event, in words for people.
    public var message: String { reason }
    /// The next step; `nil` if that is not known.
    public var hint: Hint? { nil }
    /// The stage in which it failed; `nil` if there are no stages.
    public var stageName: String? { nil }
    /// Facts for programs, by name.
    public var facts: [Fact] { [] }
    /// The value as text, as messages and logs show it.
    public var description: String { message }
}

/// Two errors are equal if their codes are: their words are for people.
extension CodedError where Self: Equatable {
    /// Whether both mean the same.
    public static func == (one: Self, other: Self) -> Bool { one.code == other.code }
}

/// A fact about an error, under a name that is stable.
public struct Fact: Equatable, Sendable {
    /// The value of a fact.
    public enum Value: Equatable, Sendable {
        /// A number.
        case number(Int64)
        /// A text.
        case text(String)
    }

    /// The name, in camel case.
    public var name: String
    /// The value.
    public var value: Value

    /// - Returns: `nil` without a value.
    package init?(_ name: String, _ number: (some BinaryInteger)?) {
        guard let number else { return nil }
        self.name = name
        value = .number(Int64(clamping: number))
    }

    /// - Returns: `nil` without a value.
    package init?(_ name: String, _ text: String?) {
        guard let text else { return nil }
        self.name = name
        value = .text(text)
    }
}
