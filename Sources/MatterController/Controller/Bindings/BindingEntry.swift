package import MatterBase
package import MatterCrypto
package import MatterModel

/// One entry of a Binding cluster's list: TargetStruct (Matter application clusters, 9.6.5.1).
package struct BindingEntry: FabricListEntry {
    package var node: NodeID?
    package var group: UInt16?
    package var endpoint: EndpointID?
    /// `nil` for all clusters that source and target have in common.
    package var cluster: ClusterID?
    package var fabricIndex: UInt8?

    init(
        node: NodeID? = nil, group: UInt16? = nil, endpoint: EndpointID? = nil, cluster: ClusterID? = nil
    ) {
        self.node = node
        self.group = group
        self.endpoint = endpoint
        self.cluster = cluster
    }

    package init(_ value: TLVValue) throws(TLVError) {
        let fields = try TLVFields(value, "an entry of a binding list")
        node = try fields.optionalUnsigned(1).map { NodeID($0) }
        group = try fields.optionalUnsigned(2)
        endpoint = try fields.optionalUnsigned(3).map { EndpointID($0) }
        cluster = try fields.optionalUnsigned(4).map { ClusterID($0) }
        fabricIndex = try fields.optionalUnsigned(254)
    }

    package var tlv: TLVValue {
        let members: [(UInt8, UInt64?)] = [
            (1, node?.rawValue), (2, group.map(UInt64.init)), (3, endpoint.map { UInt64($0.rawValue) }),
            (4, cluster.map { UInt64($0.rawValue) }),
        ]
        return .structure(members.compactMap { tag, number in number.map { TLVElement(tag, .uint($0)) } })
    }
}
