public import MatterState

/// A switch and what it is to control, or to control no more (Matter core specification, 9.6).
public struct BindingRequest: Sendable {
    /// The meaning of an entry of a binding list.
    public enum Target: Sendable {
        /// - Parameter endpoint: the one with the clusters, if it is not named.
        case node(NodeRecord, endpoint: EndpointID?)
        /// A node that has no record here: one that was forgotten.
        case stranger(NodeID, endpoint: EndpointID?)
        /// A group.
        case group(UInt16)
    }

    package var source: NodeRecord
    /// The endpoint with the Binding cluster, if it is not named.
    package var endpoint: EndpointID?
    /// The target of the binding.
    public var target: Target
    /// All that both sides have, if none is named.
    package var clusters: [ClusterID]
    /// Whether the access control list of the target changes too.
    public var changesAccess: Bool

    // memberwise: public, clusters = [], changesAccess = true

    /// True if an entry of the binding list is meant by the request, which may leave things open.
    func means(_ entry: BindingEntry) -> Bool {
        let isTarget =
            switch target {
            case .node(let node, let endpoint): means(entry, node.nodeID, endpoint)
            case .stranger(let id, let endpoint): means(entry, id, endpoint)
            case .group(let group): entry.group == group
            }
        return isTarget && (clusters.isEmpty || entry.cluster.map(clusters.contains) ?? false)
    }

    private func means(_ entry: BindingEntry, _ id: NodeID, _ endpoint: EndpointID?) -> Bool {
        entry.node == id && [nil, entry.endpoint].contains(endpoint)
    }

    /// The entries that a binding takes.
    func entries(at endpoint: EndpointID?) -> [BindingEntry] {
        var entry = BindingEntry(endpoint: endpoint)
        switch target {
        case .node(let node, _): entry.node = node.nodeID
        case .stranger(let id, _): entry.node = id
        case .group(let group): (entry.group, entry.endpoint) = (group, nil)
        }
        return (clusters.isEmpty ? [nil] : clusters.map(Optional.init)).map { cluster in
            var entry = entry
            entry.cluster = cluster
            return entry
        }
    }

    /// The rights that the source needs at the target for entries of its binding list; `nil` if nothing: a group has its own
    /// rights, and a device needs none for itself.
    func grant(for entries: [BindingEntry]) -> AccessControlEntry? {
        let targets = entries.filter { $0.node != nil && $0.node != source.nodeID }.map { entry in
            AccessControlEntry.Target(cluster: entry.cluster, endpoint: entry.endpoint)
        }
        guard changesAccess, !targets.isEmpty else { return nil }
        return AccessControlEntry(
            .operate, subjects: [source.nodeID], targets: targets)
    }
}

/// The outcome of a binding.
public struct BindingOutcome: Sendable {
    /// The source with the endpoint that was meant.
    public let endpoint: EndpointID
    /// The entries of the request, each with whether it was added, or removed.
    public let entries: [(entry: BindingEntry, isChanged: Bool)]
    /// Whether the access control list of the target was changed; `nil` if it did not matter.
    public let isAccessChanged: Bool?
}
