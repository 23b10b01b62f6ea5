import Synchronization

/// Looks up the nodes of one fabric for a process that follows many of them.
///
/// A look-up takes some five objects of avahi-daemon, which allows a client 1024 (`objects-per-client-max`): a house whose
/// nodes are all looked up at once would get no answer for most of them. So few look-ups go on at a time, and each for a
/// short while. A node that did not answer is looked up again when the one browse that all share says that it is there,
/// or after some time.
package final class OperationalDirectory: Discovery {
    /// The times of look-ups.
    package struct Pace: Sendable {
        /// How many go on at a time.
        package var limit = 32
        /// How long one goes on.
        package var span = Duration.seconds(3)
        /// How long to wait before a node is looked up again that no browse has reported.
        package var pause = Duration.seconds(10)

        package init() {}
    }

    private let base: any Discovery
    private let compressedFabricID: UInt64
    private let pace: Pace
    fileprivate let time: any TimeSource
    private let turns: Turns
    private let listeners = Mutex(Listeners())

    private struct Listeners {
        var byNode: [UInt64: [UInt64: @Sendable () -> Void]] = [:]
        var next: UInt64 = 0
        /// The browse, while there are listeners.
        var browse: Task<Void, Never>?
        /// The nodes that are there.
        var present: Set<UInt64> = []
        /// Those that were there and have left.
        var gone: Set<UInt64> = []
        /// Whether all that were there from the beginning have been reported.
        var isSettled = false
    }

    package init(_ base: any Discovery, compressedFabricID: UInt64, pace: Pace = Pace(), time: any TimeSource) {
        self.base = base
        self.compressedFabricID = compressedFabricID
        self.pace = pace
        self.time = time
        turns = Turns(limit: pace.limit)
    }

    package var hasNetwork: Bool { base.hasNetwork }

    package func check() async throws(DiscoveryError) { try await base.check() }

    package func browseCommissionable(
        _ filter: CommissionableFilter, includingClosed: Bool
    ) -> AsyncThrowingStream<CommissionableEvent, any Error> {
        base.browseCommissionable(filter, includingClosed: includingClosed)
    }

    package func browseOperational(compressedFabricID: UInt64?) -> AsyncThrowingStream<OperationalEvent, any Error> {
        base.browseOperational(compressedFabricID: compressedFabricID)
    }

    package func resolveOperational(
        compressedFabricID: UInt64, nodeID: UInt64
    ) -> AsyncThrowingStream<OperationalUpdate, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task(executorPreference: time.executor) { [self] in
                do {
                    let arrival = Arrival(of: nodeID, in: self)
                    while true {
                        let turn = try await turns.take(for: pace.span * 2, of: time)
                        try await lookUp(nodeID) { continuation.yield($0) }
                        turn.pass()
                        try await arrival.wait(atMost: pace.pause)
                    }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Looks a node up for as long as a look-up may take.
    private func lookUp(_ nodeID: UInt64, _ report: @escaping @Sendable (OperationalUpdate) -> Void) async throws {
        let updates = base.resolveOperational(compressedFabricID: compressedFabricID, nodeID: nodeID)
        try await first {
            for try await update in updates { report(update) }
        } or: { [time, pace] in
            try await time.sleep(for: pace.span)
        }
    }

    fileprivate func first(
        _ one: @escaping @Sendable () async throws -> Void, or other: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: time.executor) { try await one() }
            group.addTask(executorPreference: time.executor) { try await other() }
            try await group.next()
            group.cancelAll()
        }
    }

    // MARK: The browse

    /// - Parameter tell: called whenever the node appears that was not there before.
    fileprivate func listen(for nodeID: UInt64, _ tell: @escaping @Sendable () -> Void) -> UInt64 {
        listeners.withLock { listeners in
            listeners.next += 1
            listeners.byNode[nodeID, default: [:]][listeners.next] = tell
            if listeners.browse == nil { listeners.browse = time.start { [weak self] in await self?.browse() } }
            return listeners.next
        }
    }

    fileprivate func remove(_ id: UInt64, of nodeID: UInt64) {
        let browse: Task<Void, Never>? = listeners.withLock { listeners in
            listeners.byNode[nodeID]?[id] = nil
            if listeners.byNode[nodeID]?.isEmpty == true { listeners.byNode[nodeID] = nil }
            guard listeners.byNode.isEmpty else { return nil }
            defer {
                (listeners.browse, listeners.isSettled) = (nil, false)
                (listeners.present, listeners.gone) = ([], [])
            }
            return listeners.browse
        }
        browse?.cancel()
    }

    /// Without a browse, nodes are looked up again after the pause: its failure is not the look-up's.
    private func browse() async {
        do {
            for try await event in base.browseOperational(compressedFabricID: compressedFabricID) {
                switch event {
                case .found(let instance): found(instance.nodeID)
                case .lost(let instance): lost(instance.nodeID)
                case .allForNow: listeners.withLock { $0.isSettled = true }
                }
            }
        } catch {}
    }

    private func lost(_ nodeID: UInt64) {
        listeners.withLock { listeners in
            if listeners.present.remove(nodeID) != nil { listeners.gone.insert(nodeID) }
        }
    }

    private func found(_ nodeID: UInt64) {
        let tell: [@Sendable () -> Void] = listeners.withLock { listeners in
            let isBack = listeners.gone.remove(nodeID) != nil
            // A device that is there from the beginning has not arrived.
            guard listeners.present.insert(nodeID).inserted, listeners.isSettled || isBack else { return [] }
            return listeners.byNode[nodeID].map { Array($0.values) } ?? []
        }
        for tell in tell { tell() }
    }
}

/// The arrival of a node that was away: it was started again, or is on the network again.
package final class Arrival: Sendable {
    private struct State {
        var hasHappened = false
        var tell: (@Sendable () -> Void)?
    }

    private let directory: OperationalDirectory
    private let nodeID: UInt64
    private let state = Mutex(State())
    private let id = Mutex<UInt64?>(nil)

    package init(of nodeID: UInt64, in directory: OperationalDirectory) {
        self.nodeID = nodeID
        self.directory = directory
        let id = directory.listen(for: nodeID) { [weak self] in self?.happened() }
        self.id.withLock { $0 = id }
    }

    deinit {
        if let id = id.withLock({ $0 }) { directory.remove(id, of: nodeID) }
    }

    private func happened() {
        let tell = state.withLock { state in
            if state.tell == nil { state.hasHappened = true }
            return state.tell
        }
        tell?()
    }

    /// From now on, calls the function when the node arrives; `nil` keeps the next arrival for ``wait(atMost:)``.
    package func tell(_ function: (@Sendable () -> Void)?) {
        state.withLock { $0 = State(tell: function) }
    }

    /// Waits until the node arrives, or has arrived since the last wait.
    ///
    /// - Throws: `CancellationError`.
    package func wait(atMost longest: Duration) async throws {
        let (arrivals, signal) = AsyncStream.makeStream(of: Void.self)
        let hasHappened = state.withLock { state in
            defer { state = State(tell: { signal.yield() }) }
            return state.hasHappened
        }
        defer { state.withLock { $0.tell = nil } }
        guard !hasHappened else { return }
        try await directory.first {
            for await _ in arrivals { return }
        } or: { [directory] in
            try await directory.time.sleep(for: longest)
        }
        try Task.checkCancellation()
    }
}
