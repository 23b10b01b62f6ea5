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
        typealias Field = Binding.Target.Field
        let fields = try TLVFields(value, "an entry of a binding list")
        node = try fields.optionalUnsigned(Field.node).map { NodeID($0) }
        group = try fields.optionalUnsigned(Field.group)
        endpoint = try fields.optionalUnsigned(Field.endpoint).map { EndpointID($0) }
        cluster = try fields.optionalUnsigned(Field.cluster).map { ClusterID($0) }
        fabricIndex = try fields.optionalUnsigned(Field.fabricIndex)
    }

    package var tlv: TLVValue {
        Binding.Target(node: node?.rawValue, group: group, endpoint: endpoint, cluster: cluster).tlv
    }
}
