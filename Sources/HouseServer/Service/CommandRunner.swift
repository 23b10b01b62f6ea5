/// Runs commands of the command line within the server.
public protocol CommandRunner: Sendable {
    /// Runs a command that only looks, and takes what it prints.
    ///
    /// - Parameter arguments: without the name of the program.
    func output(of arguments: [String]) async -> CommandOutput
}

/// The results of a command.
public struct CommandOutput: Sendable {
    /// The exit code.
    public var status: Int32
    /// The result, UTF-8.
    public var result: [UInt8]
    /// Messages beside the result, UTF-8.
    public var errors: [UInt8]

    /// The results of a command.
    public init(status: Int32, result: [UInt8], errors: [UInt8]) {
        self.status = status
        self.result = result
        self.errors = errors
    }
}
