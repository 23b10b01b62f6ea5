public import MatterState

extension AdministrationService {
    /// How a node is connected.
    ///
    /// - Parameter title: the node in messages.
    /// - Throws: ``ControllerError`` `unsupportedCluster` if it says nothing about its network.
    public func networkState(of node: NodeRecord, title: String, budget: Budget) async throws -> NetworkState {
        let read = try await links.link(to: node).read(NetworkState.paths, deadline: budget.deadline(for: node))
        let state = NetworkState(read)
        guard !state.commissioning.isEmpty || !state.interfaces.isEmpty else {
            throw ControllerError(.unsupportedCluster, "\(title) says nothing about its network")
        }
        return state
    }
}
