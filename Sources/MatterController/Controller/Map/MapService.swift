import MatterState

/// Reads what nodes and border routers tell of the network of the house, and makes a map of it. It changes nothing.
public struct MapService: FabricService {
    let context: FabricContext
    private let links: NodeLinks
    private let nodes: NodeService

    /// How many nodes are asked at a time: tables are long, and the questions of many go through few routers.
    private static let together = 4

    init(_ context: FabricContext, _ links: NodeLinks, _ nodes: NodeService) {
        self.context = context
        self.links = links
        self.nodes = nodes
    }

    /// The map of the house. It needs no node, and no border router.
    ///
    /// - Parameter budget: for each node.
    /// - Throws: ``RecordError`` or ``StoreError`` if the records of nodes cannot be read, `CancellationError`. A node
    ///   that gives no answer is no error.
    public func map(budget: Budget) async throws -> NetworkMap {
        let records = try records()
        async let search = routers()
        let answers = try await NodeAnswer.each(of: records, together: Self.together) { node in
            try await read(node, among: records.count, budget)
        }
        let (routers, obstacle) = try await search
        let readings = answers.map { answer in
            answer.value
                ?? MapReading(
                    node: answer.node, tables: .failure(answer.failure ?? CancellationError()), readAt: 0)
        }
        return NetworkMap(readings, routers, obstacle: obstacle)
    }

    /// The map of what the program has in memory (``KnownStates``), where no node is asked: tables of a node may be as old as its
    /// last answer to ``map(budget:)``. Without such a memory, every node is silent.
    ///
    /// - Throws: ``RecordError`` or ``StoreError`` if the records of nodes cannot be read, `CancellationError`.
    public func known() async throws -> NetworkMap {
        async let search = routers()
        var readings: [MapReading] = []
        for node in try records() {
            guard let state = await context.known?.state(of: node.nodeID, at: NodeTables.all), !state.values.isEmpty
            else {
                let error = TransportError(.noReply, "the node has not been heard")
                readings.append(MapReading(node: node, tables: .failure(error)))
                continue
            }
            let reports = state.values.map {
                AttributeReport(path: $0.path, dataVersion: $0.dataVersion, outcome: .value($0.value))
            }
            let age = state.heard.map(\.components.seconds)
            readings.append(
                MapReading(
                    node: node, tables: .success(NodeTables(ReadResult(attributes: reports))),
                    readAt: age.map { options.unixTime() - $0 } ?? 0))
        }
        let (routers, obstacle) = try await search
        return NetworkMap(readings, routers, obstacle: obstacle)
    }

    /// The nodes of the fabric; none before there is one.
    private func records() throws -> [NodeRecord] {
        do {
            _ = try context.fabric()
        } catch let error as RecordError where error.code == .noFabric && options.fabric == nil {
            return []
        }
        return try context.nodes().sound().nodes
    }

    // MARK: Reading

    private func read(_ node: NodeRecord, among count: Int, _ budget: Budget) async throws -> MapReading {
        let patience = nodes.patience(with: node, among: count, budget)
        do {
            let result = try await links.withLink(to: node) { link in
                let deadline = patience.budget.deadline(for: node)
                var result = try await link.read(NodeTables.interfaces, deadline: deadline)
                guard NodeTables.isOnThread(node, result) else { return result }
                result.merge(try await link.read(NodeTables.thread, deadline: deadline))
                // Old firmware refuses long lists; the rest stands.
                if let tables = try? await link.read(NodeTables.lists, deadline: deadline) { result.merge(tables) }
                try Task.checkCancellation()
                return result
            }
            nodes.learn(of: node, nil, after: patience)
            await context.known?.take(result, of: node.nodeID)
            return MapReading(node: node, tables: .success(NodeTables(result)), readAt: options.unixTime())
        } catch {
            try Task.checkCancellation()
            nodes.learn(of: node, error, after: patience)
            throw error
        }
    }

    /// The border routers of Thread networks that advertise themselves.
    ///
    /// - Throws: ``DiscoveryError`` if nothing can be looked up, `CancellationError`.
    public func borderRouters() async throws -> [BorderRouter] {
        guard let discovery = context.discovery() else { return [] }
        try await discovery.check()
        return try await TimedSearch(time: options.time).borderRouters(discovery) ?? []
    }

    private func routers() async throws -> (routers: [BorderRouter]?, obstacle: String?) {
        guard let discovery = context.discovery() else {
            return (nil, "addresses were given, so nothing is looked up")
        }
        do throws(DiscoveryError) {
            try await discovery.check()
        } catch {
            return (nil, error.reason)
        }
        let found = try await TimedSearch(time: options.time).borderRouters(discovery)
        return (found, found == nil ? "the search for border routers failed" : nil)
    }
}
