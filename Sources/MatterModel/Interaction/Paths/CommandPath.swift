package import MatterBase

/// A command, or the response to one, of a cluster (CommandPathIB, Matter core specification 10.6.11).
public struct CommandPath: Hashable, Sendable {
    /// Absent only in requests to a group.
    public var endpoint: EndpointID?
    /// The cluster.
    public var cluster: ClusterID
    /// The command.
    public var command: CommandID

    // memberwise: package
}

extension CommandPath: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(path: tlv, "CommandPathIB")
        endpoint = try fields.optionalID(0)
        cluster = try fields.id(1)
        command = try fields.id(2)
    }

    package var tlv: TLVValue {
        .list([.id(0, endpoint), .id(1, cluster), .id(2, command)].compactMap { $0 })
    }
}

extension CommandPath: CustomStringConvertible {
    /// The value as text, as messages and logs show it.
    public var description: String { "\(endpoint.map { "\($0)" } ?? "*")/\(cluster)/\(command)" }
}
