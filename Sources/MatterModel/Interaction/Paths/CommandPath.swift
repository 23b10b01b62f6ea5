package import MatterBase

/// A command, or the response to one, of a cluster (CommandPathIB, Matter core specification 10.6.11).
package struct CommandPath: Hashable, Sendable {
    /// Absent only in requests to a group.
    package var endpoint: EndpointID?
    package var cluster: ClusterID
    package var command: CommandID

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
    package var description: String { "\(endpoint.map { "\($0)" } ?? "*")/\(cluster)/\(command)" }
}
