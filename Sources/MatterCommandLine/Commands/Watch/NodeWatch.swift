import MatterController

/// The subscriptions of several nodes as one stream.
enum NodeWatch {
    enum Event: Sendable {
        case subscription(NodeRecord, SubscriptionEvent)
        /// The node cannot be followed any more.
        case ended(NodeRecord, any Error)

        /// Whether a subscription has been set up.
        var isEstablished: Bool { if case .subscription(_, .established) = self { true } else { false } }
    }

    /// Follows nodes until the reader stops, or none of them can be followed any more. A node among several that cannot be
    /// reached is waited for; alone, it is an error.
    ///
    /// - Parameter setUp: the time for the first set-up.
    static func follow(
        _ nodes: [NodeRecord], _ request: SubscribeRequest, on controller: Controller, setUp: Duration
    ) -> AsyncThrowingStream<Event, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                await withTaskGroup(of: Void.self) { group in
                    for node in nodes {
                        group.addTask {
                            let events = controller.follow(request, of: node, setUp: setUp, isPatient: nodes.count > 1)
                            do {
                                for try await event in events { continuation.yield(.subscription(node, event)) }
                            } catch {
                                continuation.yield(.ended(node, named(error, node)))
                            }
                        }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The longest time until all are followed that can be.
    static func setUpTime(_ nodes: [NodeRecord], _ request: SubscribeRequest, _ context: CommandContext) async
        -> Duration
    {
        await context.controller.setUpTime(
            for: nodes, most: .seconds(Int64(request.maxIntervalCeiling)), usual: context.timeout)
    }

    /// A node answers so if no path leads to anything that it has and that we may see (Matter core specification 8.5.3.3).
    private static func named(_ error: any Error, _ node: NodeRecord) -> any Error {
        guard let error = error as? InteractionError, error.status == .invalidAction else { return error }
        let name = node.name.map { "'\($0)'" } ?? node.nodeID.description
        return CommandLineError(.imStatus, "node \(name) has nothing that matches the path")
    }
}
