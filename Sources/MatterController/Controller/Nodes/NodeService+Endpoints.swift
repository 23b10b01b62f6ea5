import Logging
public import MatterState

/// A node, and the endpoint of it where an everyday verb is carried out.
public struct ServingEndpoint: Sendable {
    /// The node, as its record has it.
    public let node: NodeRecord
    /// The endpoint.
    public let endpoint: EndpointID
    /// The way to the node.
    public let link: NodeLink
}

extension NodeService {
    /// The endpoint of a node that a verb means: the named one, else the only one that has the cluster. The node is asked
    /// for its endpoints if they are not known, or if none of the known ones has the cluster: it may have gained one.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func endpoint(
        serving cluster: ClusterID, of node: NodeRecord, named: EndpointID? = nil, budget: Budget
    ) async throws -> ServingEndpoint {
        var record = node
        if named == nil {
            record = try await described(record, deadline: budget.deadline)
            if !record.endpoints.contains(where: { $0.serverClusters.contains(cluster.rawValue) }) {
                record = try await refreshed(record, deadline: budget.deadline(for: record))
            }
        }
        let endpoint = try record.endpoint(
            serving: cluster, named: named,
            clusterName: Catalogue.standard.clusterName(cluster) ?? "\(cluster)")
        return ServingEndpoint(node: record, endpoint: endpoint, link: try await links.link(to: record))
    }
}
