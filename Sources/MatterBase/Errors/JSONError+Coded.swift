package import JSON

/// JSON itself depends on nothing of ours.
extension JSONError: CodedError {}

extension JSONError.Code: ErrorCode {
    /// The kind of failure, from which the exit code follows.
    public var kind: FailureKind { .invalidInput }
}
