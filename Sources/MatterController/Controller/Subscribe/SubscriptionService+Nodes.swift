public import MatterNetwork

/// A report of the subscription of one of several nodes.
public enum NodesEvent: Sendable {
    /// Something happened to the subscription of a node.
    case subscription(NodeRecord, SubscriptionEvent)
    /// The node cannot be followed any more.
    case ended(NodeRecord, any Error)

    /// Whether a subscription has been set up.
    public var isEstablished: Bool { if case .subscription(_, .established) = self { true } else { false } }
}

extension SubscriptionService {
    /// Follows nodes until the reader stops, or none of them can be followed any more. A node among several that cannot be
    /// reached is waited for; alone, it ends at once.
    ///
    /// - Parameter setUp: the time for the first set-up.
    public nonisolated func follow(
        _ request: SubscribeRequest, of nodes: [NodeRecord], setUp: Duration
    ) -> AsyncThrowingStream<NodesEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = options.time.start { [self] in
                await withTaskGroup { group in
                    for node in nodes {
                        group.addTask { [self] in
                            do {
                                for try await event in follow(
                                    request, of: node, setUp: setUp, isPatient: nodes.count > 1)
                                {
                                    continuation.yield(.subscription(node, event))
                                }
                            } catch {
                                continuation.yield(.ended(node, error))
                            }
                        }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The longest time until all nodes are followed that can be: those that sleep are waited for.
    ///
    /// - Parameter usual: the time for nodes that are awake.
    nonisolated public func setUpTime(for nodes: [NodeRecord], _ request: SubscribeRequest, usual: Duration) -> Duration
    {
        sleepers?.setUpTime(for: nodes, most: .seconds(Int64(request.maxIntervalCeiling)), usual: usual) ?? usual
    }
}
