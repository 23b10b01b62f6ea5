public import MatterState

/// An event of a subscription that is followed until its reader stops (Matter core specification, chapter 8).
public enum SubscriptionEvent: Sendable {
    /// It is set up, or set up again: all that was asked for, or what has changed since it was lost.
    case established(id: UInt32, maxInterval: Duration, ReadResult)
    /// Something has changed; empty where the node only says that it is alive.
    case report(ReadResult)
    /// The node fell silent, or has ended the session; another subscription is set up after the delay.
    case lost(any Error, retryAfter: Duration)
}

/// Reports of nodes: one subscription for each node, which all its followers in the program share.
public actor SubscriptionService: FabricService {
    /// How many subscriptions are set up at a time.
    private static let mostSetUps = 32

    let context: FabricContext
    let pool: LinkPool
    let links: NodeLinks
    /// `nil` if no node sleeps.
    let sleepers: SleeperService?
    let setUps = Turns(limit: mostSetUps)
    /// The subscriptions that parts of the program share, by node.
    private var followings: [NodeID: NodeFollowing] = [:]

    init(_ context: FabricContext, _ pool: LinkPool, _ links: NodeLinks, _ sleepers: SleeperService? = nil) {
        self.context = context
        self.pool = pool
        self.links = links
        self.sleepers = sleepers
    }

    /// How long the set-up of a shared subscription may take.
    private static let followingSetUp = Budget.standard

    /// Follows a node by the subscription that all its followers share.
    func follow(
        _ node: NodeRecord, _ wish: FollowBoard.Wish, _ continuation: NodeFollowing.Updates.Continuation
    ) async {
        let following =
            followings[node.nodeID]
            ?? NodeFollowing(node, setUp: Self.followingSetUp, time: options.time)
        followings[node.nodeID] = following
        await following.add(wish, continuation, of: self)
    }
}

extension SubscriptionService {
    /// The longest silence to ask nodes for where the user says nothing, in seconds: a restart is noticed within a minute. A node
    /// that sleeps is not woken for that.
    nonisolated public func usualSilence(of nodes: [NodeRecord]) -> UInt16 {
        if let silence = sleepers?.silence(of: nodes) {
            return max(nodes.count == 1 ? 1 : 45, UInt16(clamping: silence.components.seconds))
        }
        return nodes.contains(where: \.isLongIdleTime) ? 600 : 45
    }

    /// Follows a subscription: sets it up, takes its reports, and sets up another one when it is lost, until the reader
    /// stops or the controller is closed. A node that sleeps for long times and checks in here is waited for, each time. It has the long session slot of the node, with the others that are followed.
    ///
    /// - Parameters:
    ///   - setUp: the time for the set-up.
    ///   - isPatient: whether a node that cannot be reached at first is waited for.
    /// - Returns: the events; they end with the error if another try is of no use, and without patience if the first
    ///   set-up fails.
    public nonisolated func follow(
        _ request: SubscribeRequest, of node: NodeRecord, setUp: Duration = Budget.standard,
        isPatient: Bool = false
    ) -> AsyncThrowingStream<SubscriptionEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task(executorPreference: options.time.executor) { [self] in
                do {
                    var request = request
                    let idle = UInt16(clamping: sleepers?.silence(of: [node])?.components.seconds ?? 0)
                    // It is not to be woken for reports.
                    request.maxIntervalCeiling = max(request.maxIntervalCeiling, idle)
                    let ceiling = Duration.seconds(Int64(request.maxIntervalCeiling))
                    let sleeper = try sleepers?.sleeper(node, ceiling: ceiling, isPatient: isPatient)
                    if let sleeper, await !pool.has(node, for: .long) { try await sleeper.meet() }
                    let link =
                        try await sleeper == nil
                        ? links.link(to: node, for: .long) : pool.link(to: node, for: .long)
                    await link.enter()
                    let run = SubscriptionRun(
                        link: link, reports: context.reports, turns: setUps,
                        arrival: try context.directory().map { Arrival(of: node.nodeID.rawValue, in: $0) },
                        random: options.random, setUp: setUp, isPatient: isPatient,
                        sleeper: sleeper, tell: { continuation.yield($0) })
                    do {
                        try await run.follow(request)
                    } catch {
                        await link.leave()
                        throw error
                    }
                } catch is CancellationError {
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
