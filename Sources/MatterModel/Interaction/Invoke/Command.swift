public import MatterBase

/// A command to be run (Matter core specification, chapter 8).
public struct Command: Hashable, Sendable {
    /// Where it goes.
    public var path: CommandPath
    /// A structure, save for a few odd clusters; empty where the command has no fields, as the reference client sends it.
    public var fields: TLVValue

    package init(_ path: CommandPath, fields: TLVValue = .structure([])) {
        self.path = path
        self.fields = fields
    }

    /// A command by its numbers.
    public init(endpoint: EndpointID?, cluster: ClusterID, command: CommandID, fields: TLVValue = .structure([])) {
        self.init(CommandPath(endpoint: endpoint, cluster: cluster, command: command), fields: fields)
    }

    /// A command with its fields, for an endpoint or a group.
    package init(_ command: some ClusterCommand, at endpoint: EndpointID?) {
        let kind = type(of: command)
        self.init(endpoint: endpoint, cluster: kind.cluster, command: kind.id, fields: command.tlv)
    }
}

/// The result of one ``Command`` (Matter core specification, chapter 8).
public struct CommandResult: Hashable, Sendable {
    /// A response, or a status.
    public enum Outcome: Hashable, Sendable {
        /// The command's own response.
        case response(command: CommandID, fields: TLVValue?)
        /// Success or failure without further data; `NO_COMMAND_RESPONSE` where the peer passed the command over.
        case status(StatusIB)
    }

    /// The command as it was sent.
    public var path: CommandPath
    /// The node's answer.
    public var outcome: Outcome

    // memberwise: package

    /// The status; success for a command that was answered with its response.
    public var status: StatusIB {
        if case .status(let status) = outcome { status } else { StatusIB(.success) }
    }

    /// The response, read field by field; `nil` for a status, and for a response without fields.
    package func answer<Response: ClusterStructure>(
        as type: Response.Type = Response.self
    ) -> PartialStructure<Response>? {
        guard case .response(_, let fields) = outcome else { return nil }
        return PartialStructure(fields)
    }
}

extension Array<CommandResult> {
    /// These outcomes with those of a repetition in their place.
    package func replaced(by later: [CommandResult]) -> [CommandResult] {
        map { result in later.first { $0.path == result.path } ?? result }
    }
}
