package import MatterBase

/// Why a Thread operational dataset was refused or cannot be made. It never contains a key.
package struct ThreadDatasetError: CodedError, Equatable {
    package enum Code: String, ErrorCode {
        /// A text that is no dataset in hexadecimal digits or base64.
        case unrecognized = "thread.unrecognized"
        /// Entries that are cut off, too long, or there twice.
        case malformed = "thread.malformed"
        /// An entry without which no device can join is missing.
        case incomplete = "thread.incomplete"
        /// A value that Thread does not allow.
        case invalidValue = "thread.invalid-value"

        package var kind: FailureKind { .invalidInput }
    }

    package var code: Code
    package var reason: String
    package var hint: Hint?
    /// The byte of the dataset (from 0) at which the fault begins.
    package var offset: Int?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil, offset: Int? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.offset = offset
    }

    package var message: String { reason + (offset.map { " (at byte \($0))" } ?? "") }
    package var facts: [Fact] { [Fact("offset", offset)].compactMap { $0 } }
}
