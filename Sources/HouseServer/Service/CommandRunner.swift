/// A document of the house that the program around the server makes.
public enum HouseDocument: String, Sendable, CaseIterable {
    /// The network of the house.
    case map
    /// Work that has to reach every node.
    case jobs
}

/// Makes documents of the house, as the command line prints them.
public protocol CommandRunner: Sendable {
    /// Makes a document.
    func output(of document: HouseDocument) async -> CommandOutput
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
