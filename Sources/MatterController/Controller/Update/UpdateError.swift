public import MatterBase

/// Why a node did not get other firmware.
public struct UpdateError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// The node takes no firmware from other nodes, or not now; nothing was sent.
        case notPossible = "update.not-possible"
        /// The image is not for the node, or not for its version; nothing was sent.
        case notApplicable = "update.not-applicable"
        /// The node was told of the firmware, and has not asked for it.
        case notAsked = "update.not-asked"
        /// The node has begun, and was not heard for too long.
        case stalled = "update.stalled"
        /// The node has gone back to the firmware that it had.
        case rolledBack = "update.rolled-back"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .notPossible: .unsupported
            case .notApplicable: .invalidInput
            case .notAsked, .stalled: .noAnswer
            case .rolledBack: .refused
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people.
    public var reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
