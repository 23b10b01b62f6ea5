public import MatterState

extension Node {
    /// Follows attributes: their values now, and then each new one, until the loop ends or the controller is closed.
    ///
    /// All who follow a node share one subscription. A subscription that is lost is set up again; the updates say so, and what
    /// may have been missed. The node need not have a session free for it: one is set aside.
    ///
    /// - Parameters:
    ///   - attributes: what to follow; everything by default.
    ///   - most: the longest silence of the node; it may choose a longer one.
    ///   - patience: whether a node that cannot be reached at first is waited for; otherwise the sequence ends with the error.
    /// - Returns: the updates. They throw ``MatterError``.
    public func changes(
        _ attributes: AttributeSelection..., silentForAtMost most: Duration = .seconds(60),
        waitsForNode patience: Bool = false
    ) -> NodeUpdates {
        follow(attributes.isEmpty ? [.everything] : attributes, [], silentForAtMost: most, waitsForNode: patience)
    }

    /// Follows attributes by their names, such as `OnOff.onOff` and `LevelControl.currentLevel`, of all endpoints that have
    /// them.
    ///
    /// - Returns: the updates. They throw ``MatterError``.
    public func changes<each Value: AttributeValue>(
        of attributes: repeat TypedAttribute<each Value>
    ) -> NodeUpdates {
        var selections: [AttributeSelection] = []
        repeat selections.append(.attribute(each attributes))
        return follow(selections)
    }

    /// Follows events from now on.
    ///
    /// - Parameters:
    ///   - events: what to follow; everything by default.
    ///   - past: whether those come first that the node still has from before.
    ///   - patience: whether a node that cannot be reached at first is waited for.
    /// - Returns: the updates. They throw ``MatterError``.
    public func events(
        _ events: EventSelection..., includingPast past: Bool = false, waitsForNode patience: Bool = false
    ) -> NodeUpdates {
        follow([], events.isEmpty ? [.everything] : events, includingPast: past, waitsForNode: patience)
    }

    /// Follows attributes and events.
    ///
    /// - Parameters:
    ///   - past: whether the events come first that the node still has from before.
    ///   - most: the longest silence of the node; it may choose a longer one.
    ///   - patience: whether a node that cannot be reached at first is waited for.
    /// - Returns: the updates. They throw ``MatterError``.
    public func follow(
        _ attributes: [AttributeSelection], _ events: [EventSelection] = [], includingPast past: Bool = false,
        silentForAtMost most: Duration = .seconds(60), waitsForNode patience: Bool = false
    ) -> NodeUpdates {
        let wish = FollowBoard.Wish(
            attributes: attributes.map(\.path), events: events.map(\.path), includesPast: past, most: most,
            isPatient: patience)
        return NodeUpdates { [self] in
            let (updates, continuation) = NodeFollowing.Updates.makeStream()
            await controller.subscriptions.follow(record, wish, continuation)
            return updates
        }
    }

    /// Follows whether the node can be reached: true once a subscription stands, false when it is lost or cannot be set up.
    ///
    /// - Returns: the states, each when it begins. They throw ``MatterError``, unless the node is only silent.
    public func reachability() -> some AsyncSequence<Bool, any Error> & Sendable {
        AsyncThrowingStream { continuation in
            let task = controller.options.time.start { [self] in
                var last: Bool?
                func tell(_ isReachable: Bool) {
                    if last != isReachable { continuation.yield(isReachable) }
                    last = isReachable
                }
                do {
                    tell(await isReachable)
                    for try await update in follow([], waitsForNode: true) {
                        switch update {
                        case .established: tell(true)
                        case .lost: tell(false)
                        case .change, .event: break
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Whether the node answers within 10 s, or within the time that a node that sleeps asks for.
    public var isReachable: Bool {
        get async {
            do {
                let link = try await controller.links.link(to: record)
                let budget = Budget(nil, usual: .seconds(10))
                _ = try await link.read([FollowBoard.presence], deadline: budget.deadline(for: record))
                return true
            } catch {
                return false
            }
        }
    }
}

/// The updates of a node that is followed.
public struct NodeUpdates: AsyncSequence, Sendable {
    /// An update.
    public typealias Element = NodeUpdate

    private let open: @Sendable () async -> NodeFollowing.Updates

    init(_ open: @escaping @Sendable () async -> NodeFollowing.Updates) { self.open = open }

    /// Begins to follow; the subscription is set up with the first update.
    public func makeAsyncIterator() -> Iterator { Iterator(open: open) }

    /// Follows the node.
    public struct Iterator: AsyncIteratorProtocol {
        let open: @Sendable () async -> NodeFollowing.Updates
        private var updates: NodeFollowing.Updates.Iterator?

        init(open: @escaping @Sendable () async -> NodeFollowing.Updates) { self.open = open }

        /// The next update; `nil` once the task is cancelled or the controller is closed.
        ///
        /// - Throws: ``MatterError``.
        public mutating func next() async throws -> NodeUpdate? {
            if updates == nil { updates = await open().makeAsyncIterator() }
            do {
                return try await updates?.next()
            } catch is CancellationError {
                return nil
            } catch {
                throw error as? MatterError ?? MatterError(error)
            }
        }
    }
}
