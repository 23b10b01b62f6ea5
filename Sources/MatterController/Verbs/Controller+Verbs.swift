import Logging
package import MatterDataModel
import MatterInteraction
package import MatterRecords
import MatterTransport

/// A node, and the endpoint of it where an everyday verb is carried out.
package struct ServingEndpoint: Sendable {
    package let node: NodeRecord
    package let endpoint: EndpointID
    package let link: NodeLink
}

extension Controller {
    /// The endpoint of a node that a verb means: the named one, else the only one that has the cluster. The node is asked
    /// for its endpoints if they are not known, or if none of the known ones has the cluster: it may have gained one.
    package func endpoint(
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
        return ServingEndpoint(node: record, endpoint: endpoint, link: try await link(to: record))
    }

    /// Carries out a verb, at most once if the command may not be repeated.
    ///
    /// - Parameter title: the node's name in messages, such as `node 'kitchen'`.
    /// - Throws: ``ControllerError`` `outcomeUnknown` with the state read afterwards, if the command may have run.
    @discardableResult
    package func perform(
        _ verb: Verb, on node: NodeRecord, endpoint named: EndpointID? = nil, title: String? = nil, budget: Budget
    ) async throws -> ServingEndpoint {
        let place = try await endpoint(serving: verb.cluster, of: node, named: named, budget: budget)
        let command = verb.command(at: place.endpoint)
        do {
            let result = try await place.link.invoke(
                command, NodeLink.Repeatability(of: command, in: .standard), work: budget.given,
                deadline: budget.deadline(for: place.node))
            try Outcome.check(result, of: title ?? place.node.title)
        } catch var error as ControllerError where error.code == .outcomeUnknown {
            error.state = await place.link.stateAfterwards([
                AttributePath(endpoint: place.endpoint, cluster: verb.cluster, attribute: verb.attribute)
            ])
            throw error
        }
        options.logger.debug("done at endpoint \(place.endpoint)")
        return place
    }
}
