public import MatterBase

/// Why a name, a path, a value or a file of definitions was not understood.
public struct DataModelError: CodedError, Equatable {
    /// The kind of fault.
    public enum Code: String, ErrorCode, CaseIterable {
        /// No cluster has this name.
        case unknownCluster = "data-model.unknown-cluster"
        /// The cluster has no attribute of this name.
        case unknownAttribute = "data-model.unknown-attribute"
        /// The cluster has no command of this name.
        case unknownCommand = "data-model.unknown-command"
        /// The cluster has no event of this name.
        case unknownEvent = "data-model.unknown-event"
        /// No device type has this name.
        case unknownDeviceType = "data-model.unknown-device-type"
        /// The command or structure has no field of this name.
        case unknownField = "data-model.unknown-field"
        /// The enum or bitmap has no value of this name.
        case unknownValue = "data-model.unknown-value"
        /// A text that is not `EP/CLUSTER/ELEMENT`.
        case malformedPath = "data-model.malformed-path"
        /// A value of another type than the model wants, or one that no encoding of that type can hold.
        case wrongType = "data-model.wrong-type"
        /// A value whose text cannot be read: half a unit, a time that does not exist, bad JSON.
        case malformedValue = "data-model.malformed-value"
        /// A number without a unit that can be read in two ways.
        case ambiguousNumber = "data-model.ambiguous-number"
        /// A mandatory field that was left out and has no default.
        case missingField = "data-model.missing-field"
        /// A field that was given twice.
        case duplicateField = "data-model.duplicate-field"
        /// A file of cluster definitions that breaks its schema, or cannot be read.
        case badDefinitions = "data-model.bad-definitions"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .invalidInput }
    }

    /// The kind of fault.
    public var code: Code
    /// A sentence for a person; contains the place.
    public var reason: String
    /// Where: a field path (`transitions[2].heatSetpoint`), a part of a path, a place in a file; empty if there is none.
    public var place: String
    /// Nearest spellings, best first, written as they can be typed.
    package var suggestions: [String]
    /// The next step if no spelling is near: how to list the names.
    package var advice: Hint?

    /// An error with its words, and what was probably meant.
    public init(
        _ code: Code, _ reason: String, place: String = "", suggestions: [String] = [], advice: Hint? = nil
    ) {
        self.code = code
        self.reason = reason
        self.place = place
        self.suggestions = suggestions
        self.advice = advice
    }

    /// Several faults as one: it has the kind and the place of the first, and the reasons of all.
    init(_ faults: [DataModelError]) {
        self = faults.first ?? DataModelError(.malformedValue, "nothing is right")
        reason = faults.map(\.reason).joined(separator: "; ")
        suggestions = faults.flatMap(\.suggestions)
        advice = faults.lazy.compactMap(\.advice).first
    }

    /// Advice: the nearest spellings, if there are any.
    public var hint: Hint? { suggestion.map { Hint($0) } ?? advice }

    private var suggestion: String? { Suggestions.question(suggestions) }

    /// The reason, with the nearest spellings where there are some.
    public var description: String { suggestion.map { "\(reason); \($0)" } ?? reason }
}

extension DataModelError {
    /// Two errors are equal if their codes are: their words are for people.
    public static func == (one: Self, other: Self) -> Bool { one.code == other.code }
}
