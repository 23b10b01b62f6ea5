public import MatterModel

/// Why an administrator could not be added to a fabric, or taken from it.
public struct MemberError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// The request cannot be read, or its key has not signed it.
        case invalidRequest = "member.invalid-request"
        /// The answer cannot be read, or contradicts itself; nothing was written.
        case invalidAnswer = "member.invalid-answer"
        /// The receipt cannot be read, or is not of a member.
        case invalidReceipt = "member.invalid-receipt"
        /// A newer version of this program made the file.
        case newerVersion = "member.newer-version"
        /// The answer is for a request that was not made here.
        case otherRequest = "member.other-request"
        /// The key of the fabric's authority is not here.
        case notHolder = "member.not-holder"
        /// The fabric here was not joined by a request.
        case notMember = "member.not-member"
        /// The name, or the key of the request, is another member's.
        case exists = "member.exists"
        /// There is no such member.
        case unknown = "member.unknown"
        /// Another member is being removed.
        case removalOpen = "member.removal-open"
        /// Members have not confirmed their new certificates yet.
        case waiting = "member.waiting"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .invalidRequest, .invalidReceipt: .invalidInput
            case .invalidAnswer, .newerVersion, .exists, .removalOpen: .localState
            case .otherRequest, .notMember, .unknown: .notFound
            case .notHolder: .issuerFailed
            case .waiting: .conditionNotMet
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }
}
