import MatterState

extension FabricContext {
    /// The nodes of a fabric that advertise themselves; none where there is nothing to search with.
    ///
    /// - Parameters:
    ///   - duration: how long the network is searched.
    ///   - isEnough: whether a node ends the search.
    /// - Throws: ``DiscoveryError`` if the network cannot be searched.
    func advertisedNodes(
        of fabric: CompressedFabricID, within duration: Duration,
        until isEnough: @escaping @Sendable (NodeID) -> Bool = { _ in false }
    ) async throws -> Set<NodeID> {
        guard let discovery = discovery() else { return [] }
        let time = options.time
        return try await withThrowingTaskGroup(of: Set<NodeID>?.self) { group in
            group.addTask {
                var found: Set<NodeID> = []
                for try await event in discovery.browseOperational(compressedFabricID: fabric.rawValue) {
                    guard case .found(let instance) = event else { continue }
                    let node = NodeID(instance.nodeID)
                    found.insert(node)
                    if isEnough(node) { break }
                }
                return found
            }
            group.addTask {
                try await time.sleep(for: duration)
                return nil
            }
            if let found = try await group.next(), let found {
                group.cancelAll()
                return found
            }
            // A search that is told to end gives what it has.
            group.cancelAll()
            return try await group.next().flatMap { $0 } ?? []
        }
    }
}
