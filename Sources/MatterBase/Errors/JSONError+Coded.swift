package import JSON

/// JSON itself depends on nothing of ours.
extension JSONError: CodedError {}
