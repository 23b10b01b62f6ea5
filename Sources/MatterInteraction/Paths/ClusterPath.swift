package import MatterTLV

/// One cluster of one endpoint (ClusterPathIB, Matter core specification 10.6.14).
package struct ClusterPath: Hashable, Sendable {
    package var node: UInt64?
    package var endpoint: UInt16
    package var cluster: UInt32

    package init(node: UInt64? = nil, endpoint: UInt16, cluster: UInt32) {
        self.node = node
        self.endpoint = endpoint
        self.cluster = cluster
    }
}

extension ClusterPath: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(path: tlv, "ClusterPathIB")
        node = try fields.optionalUnsigned(0)
        endpoint = try fields.unsigned(1)
        cluster = try fields.unsigned(2)
    }

    package var tlv: TLVValue {
        .list([.unsigned(0, node), .unsigned(1, endpoint), .unsigned(2, cluster)].compactMap { $0 })
    }
}
