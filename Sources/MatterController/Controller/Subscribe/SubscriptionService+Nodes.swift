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
    /// reached is waited for; alone, it ends at once. A node that the program follows already needs no second subscription
    /// (``KnownStates/follow(_:at:)``).
    ///
    /// - Parameters:
    ///   - setUp: the time for the first set-up.
    ///   - log: whether the events that a node kept from before have to come first.
    public nonisolated func follow(
        _ request: SubscribeRequest, of nodes: [NodeRecord], setUp: Duration, withLog log: Bool = false
    ) -> AsyncThrowingStream<NodesEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = options.time.start { [self] in
                await withTaskGroup { group in
                    for node in nodes {
                        group.addTask { [self] in
                            do {
                                if let shared = await shared(request, of: node, setUp: setUp, withLog: log) {
                                    continuation.yield(.subscription(node, shared.beginning))
                                    for await event in shared.events {
                                        guard let part = shared.part(event) else { continue }
                                        continuation.yield(.subscription(node, part))
                                    }
                                    try Task.checkCancellation()
                                }
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

    /// The part of the subscription that the program has with a node already; `nil` if it has none that would do.
    private nonisolated func shared(
        _ request: SubscribeRequest, of node: NodeRecord, setUp: Duration, withLog log: Bool
    ) async -> SharedSubscription? {
        // Only the node can say which events it has kept, and that it does not have one.
        let isAsked = request.eventPaths.contains { log || $0 != EventPath(isUrgent: $0.isUrgent) }
        // Another pace needs a subscription of its own, and one that sleeps is not asked for its log.
        guard let known = context.known, request.minIntervalFloor == 0,
            request.maxIntervalCeiling >= usualSilence(of: [node]), !isAsked || !node.isLongIdleTime,
            let standing = await known.follow(node.nodeID, at: request.attributePaths)
        else { return nil }
        guard isAsked else { return SharedSubscription(request, standing, log: []) }
        do {
            let link = try await links.link(to: node, for: .long)
            let events = try await link.readEvents(
                request.eventPaths.map { EventPath(endpoint: $0.endpoint, cluster: $0.cluster, event: $0.event) },
                from: request.eventFilters.first?.minimum, deadline: options.time.now + setUp)
            return SharedSubscription(request, standing, log: events)
        } catch {
            // It is told as the error of a subscription.
            return nil
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
