import Logging
public import MatterState

/// The nodes of a fabric, by names, places and kinds, and what is known of them.
public struct NodeService: FabricService {
    let context: FabricContext
    let links: NodeLinks
    let issuers: Issuers

    init(_ context: FabricContext, _ links: NodeLinks, _ issuers: Issuers) {
        self.context = context
        self.links = links
        self.issuers = issuers
    }
}

extension NodeService {
    /// The node that a user means, by id or name.
    ///
    /// - Throws: `RecordError` `pendingNode` for one that is still being commissioned, `bridgedDevice` for a device behind a
    ///   bridge.
    public func record(of text: String) throws -> NodeRecord {
        let (node, endpoint) = try place(of: text)
        guard let endpoint else { return node }
        throw RecordError(
            .bridgedDevice, "'\(text)' is the endpoint \(endpoint) of \(node.title), and a node is wanted here",
            hint: .step("node.name-bridge", node.label))
    }

    /// The node that a user means, by id or name, or the endpoint of a bridge, by what the device behind it is called.
    ///
    /// - Parameter endpoint: the one that the user named beside.
    /// - Throws: `RecordError` as ``record(of:)``, and `ambiguousName`.
    public func place(
        of text: String, endpoint: EndpointID? = nil
    ) throws -> (node: NodeRecord, endpoint: EndpointID?) {
        do {
            let place = try context.nodes().place(text)
            return (place.node, endpoint ?? place.endpoint.map { EndpointID($0) })
        } catch let error as RecordError where error.code == .unknownNode {
            guard let pending = try? context.journal().find(text) else { throw error }
            let name = pending.name.map { " '\($0)'" } ?? ""
            throw RecordError(
                .pendingNode, "node \(pending.nodeID.rawValue)\(name) is still being commissioned",
                hint: "run the commission command again")
        }
    }

    /// The same, for who has more to find fault with first.
    public func placement(of text: String) -> Result<(node: NodeRecord, endpoint: EndpointID?), any Error> {
        Result { try place(of: text) }
    }

    /// A node with its endpoints, which are read once if they are not known.
    package func described(_ record: NodeRecord, deadline: Instant) async throws -> NodeRecord {
        guard record.endpoints.isEmpty else { return record }
        return try await refreshed(record, deadline: deadline)
    }

    /// The node with the facts that it tells now, which are kept: bridges gain and lose endpoints.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func refreshed(_ record: NodeRecord, deadline: Instant) async throws -> NodeRecord {
        let take = try await facts(of: record, deadline: deadline)
        try await context.nodes().update(record.nodeID, take)
        return Self.changed(record, take)
    }

    /// The same for a command that only shows something: a state directory that cannot be written does not matter.
    func refreshedToShow(_ record: NodeRecord, deadline: Instant) async throws -> NodeRecord {
        let take = try await facts(of: record, deadline: deadline)
        try? await context.nodes().update(record.nodeID, take)
        return Self.changed(record, take)
    }

    private static func changed(_ record: NodeRecord, _ change: (inout NodeRecord) -> Void) -> NodeRecord {
        var record = record
        change(&record)
        return record
    }

    /// Reads what the node tells of itself and of its endpoints; the result takes it into a record.
    private func facts(
        of record: NodeRecord, deadline: Instant
    ) async throws -> @Sendable (inout NodeRecord) -> Void {
        let result = try await links.link(to: record).read(
            EndpointDescription.paths + DeviceDescription.paths, deadline: deadline)
        let device = DeviceDescription(result)
        let endpoints = EndpointDescription.all(in: result).map(NodeRecord.Endpoint.init)
        let now = options.unixTime()
        return { record in
            record.take(endpoints)
            record.take(device, at: now)
        }
    }
}

extension NodeService {
    /// Changes what the user says of a device behind a bridge.
    ///
    /// - Throws: `RecordError` `unknownNode` if the endpoint is no such device.
    public func update(
        _ node: NodeRecord, bridged endpoint: EndpointID, _ change: @Sendable (inout BridgedDevice) -> Void
    ) async throws {
        guard node.bridged(at: endpoint.rawValue) != nil else {
            throw RecordError(
                .unknownNode, "the endpoint \(endpoint) of \(node.title) is not a device behind a bridge",
                hint: .step("node.show", node.label))
        }
        try await context.nodes().update(node.nodeID) { $0.update(bridged: endpoint.rawValue, change) }
    }

    /// Forgets the session that the next one would resume.
    ///
    /// - Parameter purging: also where the node was reached and how it wanted to be treated.
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged or not there.
    public func disconnect(_ node: NodeRecord, purging: Bool) async throws {
        try context.keptSessions()?.remove(node.nodeID)
        try context.resumptions().remove(node.nodeID)
        guard purging else { return }
        try await context.nodes().update(node.nodeID) { record in
            record.addresses = []
            record.reliability = nil
        }
    }
}

extension NodeRecord {
    /// Takes what a node says of itself; what it leaves out stays as it was known.
    mutating func take(_ device: DeviceDescription, at now: Int64) {
        sessionsPerFabric = device.sessionsPerFabric ?? sessionsPerFabric
        vendorName = device.vendorName ?? vendorName
        productName = device.productName ?? productName
        serialNumber = device.serialNumber ?? serialNumber
        firmware = device.firmware ?? firmware
        seenAt = now
    }
}

extension NodeRecord.Endpoint {
    init(_ description: EndpointDescription) {
        self.init(
            number: description.endpoint.rawValue, deviceTypes: description.deviceTypes.map(\.rawValue),
            serverClusters: description.serverClusters.map(\.rawValue),
            bridged: description.isBridged
                ? BridgedDevice(label: description.label, isReachable: description.isReachable) : nil)
        for (cluster, commands) in description.acceptedCommands {
            acceptedCommands[cluster.rawValue] = commands.map(\.rawValue)
        }
    }
}

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
