import MatterState

/// The one subscription to a node for all parts of a program that follow it; a device grants few (Matter core
/// specification 2.11.2.2 demands three).
///
/// Where a follower wants more than the subscription has, another one is set up for all, and takes the place of the first once
/// it stands: nothing is missed in between.
actor NodeFollowing {
    typealias Updates = AsyncThrowingStream<NodeUpdate, any Error>

    /// While there are followers.
    private var service: SubscriptionService?
    private let node: NodeRecord
    private let setUp: Duration
    private let time: any TimeSource
    private var board = FollowBoard()
    private var followers: [Int: Updates.Continuation] = [:]
    private var run: Run?
    /// Goes on until the next one stands.
    private var earlier: Run?
    private var lastRun = 0

    private struct Run {
        let number: Int
        let task: Task<Void, Never>
        var isStanding = false
    }

    init(_ node: NodeRecord, setUp: Duration, time: any TimeSource) {
        self.node = node
        self.setUp = setUp
        self.time = time
    }

    /// Begins to follow, until the reader of the updates leaves.
    func add(_ wish: FollowBoard.Wish, _ continuation: Updates.Continuation, of service: SubscriptionService) {
        self.service = service
        let (number, deliveries, needsSubscription) = board.add(wish)
        followers[number] = continuation
        continuation.onTermination = { [weak self, time] _ in
            time.start { [weak self] in await self?.remove(number) }
        }
        for delivery in deliveries { deliver(delivery, to: number) }
        if needsSubscription { subscribe() }
    }

    private func remove(_ number: Int) {
        board.remove(number)
        followers[number] = nil
        if board.isEmpty { stop() }
    }

    private func stop() {
        for run in [earlier, run] { run?.task.cancel() }
        (earlier, run) = (nil, nil)
        board.startOver()
        service = nil
    }

    private func subscribe() {
        guard let service else { return }
        if let run {
            // One that does not stand yet has told nothing.
            if run.isStanding { earlier = run } else { run.task.cancel() }
        }
        lastRun += 1
        let (number, request) = (lastRun, board.request())
        let events = service.follow(request, of: node, setUp: setUp, isPatient: true)
        let task = time.start { [self] in
            do {
                for try await event in events {
                    await take(event, from: number)
                }
                await end(nil, of: number)
            } catch {
                await end(error, of: number)
            }
        }
        run = Run(number: number, task: task)
    }

    private func take(_ event: SubscriptionEvent, from number: Int) {
        guard number == run?.number || number == earlier?.number else { return }
        if number == run?.number {
            switch event {
            case .established:
                run?.isStanding = true
                endEarlier()
            case .report: break
            // A node that has no room for two gets it.
            case .lost: endEarlier()
            }
        }
        tell(board.take(event, at: time.now))
    }

    private func endEarlier() {
        earlier?.task.cancel()
        earlier = nil
    }

    private func end(_ error: (any Error)?, of number: Int) {
        guard number == run?.number else {
            if number == earlier?.number { earlier = nil }
            return
        }
        tell(board.end(error))
        stop()
    }

    private func tell(_ deliveries: [(follower: Int, delivery: FollowBoard.Delivery)]) {
        for (number, delivery) in deliveries { deliver(delivery, to: number) }
    }

    private func deliver(_ delivery: FollowBoard.Delivery, to number: Int) {
        switch delivery {
        case .update(let update): followers[number]?.yield(update)
        case .end(let error):
            let follower = followers.removeValue(forKey: number)
            if let error { follower?.finish(throwing: MatterError(error)) } else { follower?.finish() }
        }
    }
}
