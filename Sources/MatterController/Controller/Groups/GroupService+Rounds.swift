public import MatterState

/// Work with all nodes of a group.
extension GroupService {
    /// Nodes, or endpoints of nodes, as parties of a group: several endpoints of a node are one party.
    ///
    /// - Parameter places: names or ids of nodes, and the endpoint; `nil` for all that can be members.
    /// - Throws: ``ControllerError`` or ``RecordError`` for a place that is not there.
    public func parties(_ places: [(node: String, endpoint: EndpointID?)]) throws -> [GroupParty] {
        var parties: [GroupParty] = []
        for word in places {
            let (node, endpoint) = try nodes.place(of: word.node, endpoint: word.endpoint)
            if let position = parties.firstIndex(where: { $0.node.nodeID == node.nodeID }) {
                if let endpoints = parties[position].endpoints, let endpoint {
                    parties[position].endpoints = endpoints.union([endpoint])
                } else {
                    parties[position].endpoints = nil
                }
            } else {
                parties.append(GroupParty(node, endpoint.map { [$0] }))
            }
        }
        return parties
    }

    /// The nodes that have members of a group. A node without a record has left the fabric, and its groups with it.
    ///
    /// - Throws: if there is no fabric.
    public func nodes(of group: GroupRecord) throws -> [NodeRecord] {
        try context.nodes().sound().nodes.filter { !group.members(of: $0.nodeID).isEmpty }
    }

    /// Reads from the members of a group what came of a request that was sent to it.
    ///
    /// - Returns: the answers in the order of the nodes; the failure of one costs the others nothing.
    /// - Throws: `CancellationError`.
    public func readBack(
        _ request: DeviceRequest, to cluster: ClusterID, of group: GroupRecord, budget: Budget
    ) async throws -> [NodeAnswer<[GroupReading]>] {
        try await NodeAnswer.each(of: try nodes(of: group)) { [self] node in
            let endpoints = group.members(of: node.nodeID).map { EndpointID($0.endpoint) }
            return try await readBack(request, to: cluster, at: endpoints, of: node, budget: budget)
        }
    }
}

extension NodeAnswer {
    /// Does something with the parties of a group, a few of them at a time.
    ///
    /// - Returns: the answers in the order of the parties; the failure of one costs the others nothing.
    /// - Throws: `CancellationError`.
    public static func each(
        of parties: [GroupParty], _ work: @escaping @Sendable (GroupParty) async throws -> Value
    ) async throws -> [NodeAnswer] {
        try await each(of: parties.map(\.node)) { node in
            try await work(parties.first { $0.node.nodeID == node.nodeID } ?? GroupParty(node))
        }
    }
}
