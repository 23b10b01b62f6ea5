public import MatterCrypto
public import MatterModel

/// One entry of a Binding cluster's list: TargetStruct (Matter application clusters, 9.6.5.1). Without a cluster it means all
/// that source and target have in common.
public typealias BindingEntry = ListEntry<Binding.Target>

extension ListEntry<Binding.Target> {
    /// The node that is meant; `nil` if a group is.
    public var node: NodeID? {
        get { known.node.map { NodeID($0) } }
        set { known.node = newValue?.rawValue }
    }

    init(
        node: NodeID? = nil, group: UInt16? = nil, endpoint: EndpointID? = nil, cluster: ClusterID? = nil
    ) {
        self.init(Binding.Target(node: node?.rawValue, group: group, endpoint: endpoint, cluster: cluster))
    }
}
