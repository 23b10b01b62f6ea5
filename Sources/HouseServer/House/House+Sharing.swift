import MatterController

/// The subscriptions of the house, for commands that follow a node as well.
extension House {
    /// Follows a node by the subscription that the house has with it.
    ///
    /// - Returns: `nil` for a node whose subscription does not stand.
    func share(_ id: NodeID, at paths: [AttributePath]) -> StandingSubscription? {
        guard followers[id] != nil, let node = board.nodes[id], node.isAvailable, node.failure == nil,
            let subscription = node.subscription, let maxInterval = node.maxInterval,
            let state = knownState(of: id, at: paths)
        else { return nil }
        lastSharer += 1
        let number = lastSharer
        let (events, continuation) = AsyncStream<SubscriptionEvent>.makeStream()
        sharers[id, default: [:]][number] = continuation
        continuation.onTermination = { [weak self, time] _ in
            time.start { [weak self] in await self?.endSharing(id, with: number) }
        }
        return StandingSubscription(
            id: subscription, maxInterval: maxInterval, state: state,
            fabricIndex: node.attributes[.currentFabricIndex]?.integer(), events: events)
    }

    /// How many follow nodes by the subscriptions of the house.
    var sharerCount: Int { sharers.values.reduce(0) { $0 + $1.count } }

    private func endSharing(_ id: NodeID, with number: Int) {
        sharers[id]?[number] = nil
        if sharers[id]?.isEmpty ?? false { sharers[id] = nil }
    }

    /// Lets those go who follow a node that the house does not follow any more.
    func endSharing(_ id: NodeID) {
        for sharer in (sharers.removeValue(forKey: id) ?? [:]).values { sharer.finish() }
    }
}
