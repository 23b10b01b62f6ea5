package import JSON

/// JSON itself depends on nothing of ours.
extension JSONError: CodedError {}

extension JSONError.Code: ErrorCode {
    /// What kind of failure it is, from which the exit code follows.
    public var kind: FailureKind { .invalidInput }
}
