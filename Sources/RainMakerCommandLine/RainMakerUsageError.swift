import MatterController

/// Faults in the options that RainMaker adds to a command.
struct RainMakerUsageError: CodedError {
    enum Code: String, ErrorCode, CaseIterable {
        case options = "usage.rainmaker"

        var kind: FailureKind { .invalidInput }
    }

    let code: Code
    let reason: String
    let hint: Hint?

    init(_ code: Code, _ reason: String, hint: Hint) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }
}
