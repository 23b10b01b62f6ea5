public import MatterState

/// The endpoints of one node that join or leave a group (Matter core specification, 11.2).
public struct GroupParty: Sendable {
    /// The node.
    public var node: NodeRecord
    /// All that a node has, or the only one that can be a member, if `nil`.
    public var endpoints: Set<EndpointID>?

    /// A node with those of its endpoints that take part; `nil` for all that can.
    public init(_ node: NodeRecord, _ endpoints: Set<EndpointID>? = nil) {
        self.node = node
        self.endpoints = endpoints
    }
}

/// Finds nodes, and the endpoints that serve a cluster.
protocol NodeFinding: Sendable {
    /// The node that a text means, or the device behind a bridge.
    func place(of text: String, endpoint: EndpointID?) throws -> (node: NodeRecord, endpoint: EndpointID?)
    /// The endpoint that serves a cluster.
    func endpoint(
        serving cluster: ClusterID, of node: NodeRecord, named: EndpointID?, budget: Budget
    ) async throws -> ServingEndpoint
}

extension NodeService: NodeFinding {}

/// Groups of nodes that take one message together (Matter core specification 4.16).
public struct GroupService: FabricService {
    let context: FabricContext
    let links: NodeLinks
    let nodes: any NodeFinding

    init(_ context: FabricContext, _ links: NodeLinks, _ nodes: any NodeFinding) {
        self.context = context
        self.links = links
        self.nodes = nodes
    }
}

extension GroupService {
    /// Makes a group with a key of its own, or with the key of another group: devices have room for few keys. No device is
    /// told.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func createGroup(_ name: String, id: UInt16? = nil, keyOf other: GroupRecord? = nil) async throws
        -> GroupRecord
    {
        let start = try Self.keyStart(at: options.unixTime(), options.random)
        return try await context.groups().create(name, id: id, keyOf: other, start: start, random: options.random)
    }

    /// The start time of a key that is made now, in microseconds since 2000.
    ///
    /// - Parameter now: in seconds since 1970.
    static func keyStart(at now: Int64, _ random: any RandomSource) throws -> UInt64 {
        let seconds = MatterEpoch.seconds(unix: now) ?? 0
        // Devices demand a number above 0. Of the seconds at random, so that groups can be told apart.
        return UInt64(seconds) * 1_000_000 + UInt64(try random.integer(UInt16.self)) + 1
    }

    /// Makes endpoints of a node members of a group: key set, key map, membership and access, or nothing of it. What the node
    /// has already is left as it is.
    ///
    /// - Returns: the endpoints, and whether anything was missing.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func join(
        _ group: GroupRecord, _ party: GroupParty, budget: Budget
    ) async throws -> (endpoints: Set<EndpointID>, isChanged: Bool) {
        let store = try context.groups()
        let key = try store.key(of: group)
        let own = try context.credentials().identity
        let node = party.node
        var endpoints = party.endpoints ?? []
        if party.endpoints == nil {
            endpoints = [try await nodes.endpoint(serving: Groups.id, of: node, named: nil, budget: budget).endpoint]
        }
        let wanted = endpoints
        let keys = try context.groupKeys(ofSet: group.keySet)
        return try await links.withLink(to: node) { link in
            let enrollment = GroupEnrollment(
                link: link, node: node, group: group, own: own, deadline: budget.deadline(for: node), keys: keys)
            let steps = try await enrollment.state().steps(toJoin: group, wanted, on: node)
            let known = Set(group.members(of: node.nodeID))
            let members = wanted.map { GroupRecord.Member(nodeID: node.nodeID, endpoint: $0.rawValue) }
            let new = members.filter { !known.contains($0) }
            if !steps.isEmpty {
                // Durable before the node is told: if this process ends in the middle, what it has begun can be taken back.
                try await store.update(group.group) { record in
                    for member in new { record.add(member.pending) }
                }
            }
            if let failure = await enrollment.join(steps, key: key) {
                if failure.isUndone {
                    // A member that an earlier command has left half-way stays as it was.
                    try? await store.update(group.group) { record in
                        for member in new { record.remove { $0 == member.pending && !known.contains($0) } }
                    }
                } else {
                    self.options.warn(
                        "\(node.title) could not be made to forget what it has of the group '\(group.name)'",
                        .step("group.take-back", group.name, node.label))
                }
                throw failure.error
            }
            if !new.isEmpty {
                try await store.update(group.group) { record in for member in new { record.add(member) } }
            }
            return (wanted, !steps.isEmpty)
        }
    }

    /// Takes endpoints of a node, or all of them, out of a group. The last one takes key and access with it.
    ///
    /// - Returns: whether the node had anything of the group.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func leave(_ group: GroupRecord, _ party: GroupParty, budget: Budget) async throws -> Bool {
        let own = try context.credentials().identity
        let keys = try context.groupKeys(ofSet: group.keySet)
        let isChanged = try await links.withLink(to: party.node) { link in
            let enrollment = GroupEnrollment(
                link: link, node: party.node, group: group, own: own, deadline: budget.deadline(for: party.node),
                keys: keys)
            let steps = try await enrollment.state().steps(toLeave: group, party.endpoints)
            try await enrollment.leave(steps)
            return !steps.isEmpty
        }
        try await forget(party.node.nodeID, party.endpoints, in: group)
        return isChanged
    }

    /// Forgets members without telling the device.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func forget(_ node: NodeID, _ endpoints: Set<EndpointID>? = nil, in group: GroupRecord) async throws {
        try await context.groups().update(group.group) { record in
            record.remove { $0.nodeID == node && endpoints?.contains(EndpointID($0.endpoint)) ?? true }
        }
    }
}

extension GroupRecord.Member {
    fileprivate var pending: Self { Self(nodeID: nodeID, endpoint: endpoint, isPending: true) }
}
