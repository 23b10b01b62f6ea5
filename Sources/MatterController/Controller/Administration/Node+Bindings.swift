public import MatterNetwork

/// Which device a switch or sensor controls by itself (Matter core specification 9.6).
extension Node {
    /// Lets this node control another one: an entry in the other's access control list, and one in this node's binding list. If
    /// the second fails, the first is taken back.
    ///
    /// - Parameters:
    ///   - target: what is to be controlled.
    ///   - clusters: by which clusters; by all that both have by default.
    ///   - endpoint: the endpoint of this node; by default the only one that can.
    ///   - there: the endpoint of the target; by default the only one that can.
    /// - Returns: whether anything was missing.
    /// - Throws: ``MatterError``.
    @discardableResult
    public func bind(
        to target: Node, clusters: [ClusterID] = [], from endpoint: EndpointID? = nil, at there: EndpointID? = nil,
        within time: Duration? = nil
    ) async throws -> Bool {
        try await reportingErrors {
            let outcome = try await controller.administration.bind(
                request(target, clusters, endpoint, there), budget: Budget(time))
            return outcome.entries.contains { $0.isChanged } || outcome.isAccessChanged ?? false
        }
    }

    /// Makes this node control another one no more; its right goes too, unless another binding needs it.
    ///
    /// - Throws: ``MatterError`` `notFound` if there is no such binding.
    public func unbind(
        from target: Node, clusters: [ClusterID] = [], from endpoint: EndpointID? = nil,
        at there: EndpointID? = nil, within time: Duration? = nil
    ) async throws {
        try await reportingErrors {
            _ = try await controller.administration.unbind(
                request(target, clusters, endpoint, there), budget: Budget(time))
        }
    }

    private func request(
        _ target: Node, _ clusters: [ClusterID], _ endpoint: EndpointID?, _ there: EndpointID?
    ) -> BindingRequest {
        BindingRequest(
            source: record, endpoint: endpoint, target: .node(target.record, endpoint: there), clusters: clusters)
    }
}
