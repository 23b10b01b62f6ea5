package import MatterState

extension NodeRecord {
    /// The node in messages: `node 'kitchen'`, `node 2`.
    public var title: String { name.map { "node '\($0)'" } ?? "node \(nodeID.rawValue)" }

    /// The node as it is typed: `kitchen`, `2`.
    public var label: String { name ?? "\(nodeID.rawValue)" }

    /// The endpoint that an everyday verb means.
    ///
    /// - Parameters:
    ///   - cluster: what the endpoint must serve.
    ///   - named: the endpoint that the user named; the device then says itself whether it has the cluster.
    ///   - clusterName: for the error.
    ///   - example: how one of several is named.
    /// - Throws: ``ControllerError``.
    public func endpoint(
        serving cluster: ClusterID, named: EndpointID?, clusterName: @autoclosure () -> String,
        example: (EndpointID) -> String? = { _ in nil }
    ) throws(ControllerError) -> EndpointID {
        if let named { return named }
        let candidates = endpoints.filter { $0.serverClusters.contains(cluster.rawValue) }.map { EndpointID($0.number) }
        switch candidates.count {
        case 1:
            return candidates[0]
        case 0:
            throw ControllerError(
                .unsupportedCluster, "no endpoint of \(title) has the cluster \(clusterName())",
                hint: .step("node.show", label))
        default:
            throw ControllerError(
                .ambiguousEndpoint,
                "several endpoints of \(title) have the cluster \(clusterName()): "
                    + candidates.map(\.description).joined(separator: ", "),
                hint: "name one, as in \(example(candidates[0]) ?? "\(label)/\(candidates[0])")")
        }
    }
}
