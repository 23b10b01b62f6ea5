package import JSON

/// JSON itself depends on nothing of ours.
extension JSONError: CodedError {}

extension JSONError.Code: ErrorCode {
    package var kind: FailureKind { .invalidInput }
}
