/// An error of one of our modules: a code for programs, a sentence for people, and what it depends on.
package protocol CodedError: Error, Sendable, CustomStringConvertible {
    /// The kinds of fault of the module. A raw value is stable and meant for programs: `fabric.unknown`.
    associatedtype Code: ErrorCode

    var code: Code { get }
    /// The raw value of the code, unless the error stands for another one.
    var id: String { get }
    /// That of the code, unless the error knows better: a status of the node, or the fault underneath.
    var kind: FailureKind { get }
    /// What is wrong, as a sentence for a person. It may quote a device: escape it before it reaches a terminal.
    var reason: String { get }
    /// The reason with the place where the fault is, if the error knows one.
    var message: String { get }
    /// The next step, where there is one.
    var hint: Hint? { get }
    /// The phase in which it happened, where there is one.
    var stageName: String? { get }
    /// What else programs may want to know, in the order in which it is shown.
    var facts: [Fact] { get }
}

extension CodedError {
    /// The raw value of the code.
    package var id: String { code.rawValue }
    package var kind: FailureKind { code.kind }
    package var message: String { reason }
    package var hint: Hint? { nil }
    package var stageName: String? { nil }
    package var facts: [Fact] { [] }
    package var description: String { message }
}

/// Two errors are equal if their codes are: their words are for people.
extension CodedError where Self: Equatable {
    package static func == (one: Self, other: Self) -> Bool { one.code == other.code }
}

/// A fact about an error, under a name that is stable.
package struct Fact: Equatable, Sendable {
    package enum Value: Equatable, Sendable {
        case number(Int64)
        case text(String)
    }

    package var name: String
    package var value: Value

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
