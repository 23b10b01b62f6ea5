package import MatterBase

/// What the command line itself finds wrong: with its arguments, or with what it was to do.
package struct CommandLineError: CodedError {
    package struct Code: RawRepresentable, ExpressibleByStringLiteral, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package init(stringLiteral id: String) { rawValue = id }
    }

    package var code: Code
    package var reason: String
    package var hint: Hint?
    let status: ExitStatus

    /// - Parameters:
    ///   - hint: the next step, if it is not that of the id in ``Hints``.
    ///   - status: what the program ends with.
    package init(_ code: Code, _ reason: String, hint: Hint? = nil, status: ExitStatus = .usage) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.status = status
    }
}
