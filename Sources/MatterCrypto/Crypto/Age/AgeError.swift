public import MatterBase

/// Why a file in the age format could not be made or opened. It never carries key material.
public struct AgeError: CodedError, Equatable {
    /// The kind of fault.
    public enum Code: String, ErrorCode {
        /// The bytes are not a file in this format, or are damaged.
        case damaged = "age.damaged"
        /// The passphrase or the identity is not one that the file was made for.
        case wrongKey = "age.wrong-key"
        /// A passphrase is needed, and only identities were given; or the other way round.
        case otherKind = "age.other-kind"
        /// A recipient or an identity that cannot be read.
        case invalidKey = "age.invalid-key"
        /// The file asks for more memory than there is for it.
        case tooCostly = "age.too-costly"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .damaged, .tooCostly: .localState
            case .wrongKey, .otherKind, .invalidKey: .invalidInput
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person.
    public var reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
