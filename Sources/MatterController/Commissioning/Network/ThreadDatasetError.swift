public import MatterBase

/// Why a Thread operational dataset was refused or cannot be made. It never contains a key.
public struct ThreadDatasetError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// A text that is no dataset in hexadecimal digits or base64.
        case unrecognized = "thread.unrecognized"
        /// Entries that are cut off, too long, or there twice.
        case malformed = "thread.malformed"
        /// An entry without which no device can join is missing.
        case incomplete = "thread.incomplete"
        /// A value that Thread does not allow.
        case invalidValue = "thread.invalid-value"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .invalidInput }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?
    /// The byte of the dataset (from 0) at which the fault begins.
    package var offset: Int?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil, offset: Int? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.offset = offset
    }

    /// The event, in words for people.
    public var message: String { reason + (offset.map { " (at byte \($0))" } ?? "") }
    /// Facts for programs, by name.
    public var facts: [Fact] { [Fact("offset", offset)].compactMap { $0 } }
}
