package import MatterBase

/// One cluster of one endpoint (ClusterPathIB, Matter core specification 10.6.14).
public struct ClusterPath: Hashable, Sendable {
    /// The id of the node; `nil` for the one that is asked.
    package var node: UInt64?
    /// The endpoint.
    public var endpoint: EndpointID
    /// The cluster.
    public var cluster: ClusterID

    // memberwise: public, node = nil
}

extension ClusterPath: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(path: tlv, "ClusterPathIB")
        node = try fields.optionalUnsigned(0)
        endpoint = try fields.id(1)
        cluster = try fields.id(2)
    }

    package var tlv: TLVValue {
        .list([.unsigned(0, node), .id(1, endpoint), .id(2, cluster)].compactMap { $0 })
    }
}
