package import MatterTLV

/// A command, or the response to one, of a cluster (CommandPathIB, Matter core specification 10.6.11).
package struct CommandPath: Hashable, Sendable {
    /// Absent only in requests to a group.
    package var endpoint: UInt16?
    package var cluster: UInt32
    package var command: UInt32

    package init(endpoint: UInt16?, cluster: UInt32, command: UInt32) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.command = command
    }
}

extension CommandPath: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(path: tlv, "CommandPathIB")
        endpoint = try fields.optionalUnsigned(0)
        cluster = try fields.unsigned(1)
        command = try fields.unsigned(2)
    }

    package var tlv: TLVValue {
        .list([.unsigned(0, endpoint), .unsigned(1, cluster), .unsigned(2, command)].compactMap { $0 })
    }
}

extension CommandPath: CustomStringConvertible {
    package var description: String { "\(endpoint.map { "\($0)" } ?? "*")/\(cluster)/\(command)" }
}
