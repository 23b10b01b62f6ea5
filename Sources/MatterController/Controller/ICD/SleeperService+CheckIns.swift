import Logging
import MatterState

extension SleeperService {
    /// How long a key refresh may take, beyond what the node asks for.
    private static let refreshPatience = Duration.seconds(20)
    /// For how long another process that listens is waited for at a time.
    private static let longestTurn = Duration.seconds(86_400)
    /// How long a node that has to report may take to answer: it repeats its report for some seconds.
    private static let reportPatience = Duration.seconds(12)
    /// How long a device that has woken up is asked to stay awake.
    private static let stay = Duration.seconds(30)

    /// Takes the check-ins of all devices that our node is registered with, until it is cancelled. Devices find us because
    /// our node is advertised meanwhile.
    ///
    /// - Parameters:
    ///   - port: 0 for any.
    ///   - ready: told the port, once devices can find it.
    /// - Throws: ``ControllerError`` `listening` if another process does so already.
    public func listenForCheckIns(
        port: UInt16 = 0, ready: @Sendable (UInt16) -> Void = { _ in },
        tell: @escaping @Sendable (VerifiedCheckIn) -> Void = { _ in }
    ) async throws {
        // A copy of the state directory must not accept what the original has accepted.
        try await context.settled()
        let fabric = try context.fabric()
        guard let lock = try options.state.tryLock(context.listenerLock()) else {
            throw ControllerError(
                .listening, "another process takes the check-ins of the fabric '\(fabric.name)' already")
        }
        let manager = try ExchangeManager(
            time: options.time, port: port, links: options.links, random: options.random,
            admission: { protocolID, opcode, isSecure in
                !isSecure && protocolID == .secureChannel && opcode == SecureChannelOpcode.checkIn.rawValue
            }, observer: options.trace)
        do {
            let open = try await manager.open()
            let service = try await context.advertise(try context.credentials().nodeID, port: open)
            do {
                try await service?.established()
                ready(open)
                try await serve(manager, tell)
            } catch {
                await service?.withdraw()
                throw error
            }
        } catch {
            await manager.shutDown()
            throw error
        }
        // Held until now, so that no other process of this state directory advertises our node.
        _ = consume lock
    }

    private func serve(
        _ manager: ExchangeManager, _ tell: @escaping @Sendable (VerifiedCheckIn) -> Void
    ) async throws {
        let receiver = CheckInReceiver(
            store: try context.registrations(), time: options.time, unixTime: options.unixTime, logger: options.logger)
        await withDiscardingTaskGroup { group in
            for await incoming in manager.incoming {
                await incoming.exchange.abandon()
                switch await receiver.take(incoming.message) {
                case .accepted(let checkIn): tell(checkIn)
                case .needsNewKey(let checkIn):
                    // The device repeats itself at its next round if this fails.
                    guard await receiver.beginRefresh(of: checkIn.node) else { continue }
                    group.addTask {
                        await self.refresh(checkIn, tell)
                        await receiver.endRefresh(of: checkIn.node)
                    }
                case nil: break
                }
            }
        }
        try Task.checkCancellation()
    }

    private func refresh(_ checkIn: VerifiedCheckIn, _ tell: @Sendable (VerifiedCheckIn) -> Void) async {
        do {
            guard let node = try context.nodes().node(checkIn.node),
                let registration = try context.registrations().registration(of: checkIn.node)
            else { return }
            try await refreshKey(
                of: node, registration, deadline: options.time.now + node.deliveryBudget + Self.refreshPatience)
            let message = checkIn.message
            _ = try await context.registrations().update(checkIn.node) { $0.note(message, at: checkIn.at) }
            var told = checkIn
            told.hasNewKey = true
            tell(told)
        } catch {
            options.logger.warning("the key of node \(checkIn.node) could not be replaced: \(error)")
        }
    }

    // MARK: Nodes that sleep

    /// Before a session with a node: waits for its check-in if the user wants that, otherwise says that it may sleep.
    ///
    /// - Returns: whether it was waited for.
    func meet(_ node: NodeRecord, for kind: SlotKind) async throws -> Bool {
        guard node.isLongIdleTime else { return false }
        guard let registration = try context.registrations().registration(of: node.nodeID) else {
            guard options.waitsForCheckIn else { return false }
            throw Self.notRegistered(node, node.title)
        }
        let expected = SleepExpectation(registration, now: options.unixTime())
        guard !expected.isAwake else { return false }
        guard options.waitsForCheckIn else {
            options.warn(
                "\(node.title) sleeps: its next check-in may take up to \(expected.text)\(expected.reason)",
                .step("icd.wait") + SleepExpectation.wakeUp(registration.sleep))
            return false
        }
        try await awaitCheckIn(of: node, registration, expected, for: kind)
        return true
    }

    /// - Parameters:
    ///   - kind: what the node is waited for.
    ///   - longer: how much longer than its sleep a node may be silent.
    func awaitCheckIn(
        of node: NodeRecord, _ registration: ICDRegistration, _ expected: SleepExpectation, for kind: SlotKind,
        longer: Duration = .zero
    ) async throws {
        options.warn(
            "\(node.title) sleeps: waiting for its next check-in, up to \(expected.text)\(expected.reason)",
            ActiveModeTrigger.ways(registration.sleep).first.map { "or wake it up: \($0)" })
        try await checkIn(
            of: node, after: registration, for: kind, within: options.checkInPatience ?? expected.longest + longer)
    }

    /// The longest that any node of the fabric may be waited for.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    nonisolated public func longestSleep() throws -> Duration {
        let now = options.unixTime()
        return try context.registrations().sound().registrations.map { SleepExpectation($0, now: now).longest }.max()
            ?? .zero
    }

    /// Waits for the next check-in of a node, here or in the process that listens.
    ///
    /// A node does not check in while it has a subscription of ours, also if the process that had it is gone. It is tried
    /// then when it has to report.
    private func checkIn(
        of node: NodeRecord, after before: ICDRegistration, for kind: SlotKind, within limit: Duration
    ) async throws {
        listenInBackground()
        let store = try context.registrations()
        let end = options.time.now + limit
        var tried: Int64?
        let watch = store.watch()
        while options.time.now < end {
            let mark = listenerEnd.mark
            if let failure = listenerFailure { throw failure }
            guard let now = try store.registration(of: node.nodeID) else { throw Self.notRegistered(node, node.title) }
            if let last = now.last, last != before.last { return }
            // Another process hears it.
            let expected = SleepExpectation(now, now: options.unixTime())
            if expected.isAwake { return }
            if expected.reports, tried != now.reportDue {
                tried = now.reportDue
                if try await answers(node, for: kind, until: end) { return }
                continue
            }
            let next = min(end, expected.untilReport.map { options.time.now + $0 } ?? end)
            try await withThrowingTaskGroup(of: Void.self) { [time = options.time, listenerEnd] group in
                group.addTask { try await watch.change(until: next) }
                group.addTask { await listenerEnd.wait(after: mark, until: next, of: time) }
                try await group.next()
                group.cancelAll()
            }
        }
        throw ControllerError(
            .noCheckIn, "\(node.title) has not checked in",
            hint: .step("icd.no-check-in", node.label) + SleepExpectation.wakeUp(before.sleep))
    }

    /// Whether a node that should be awake answers, and then stays awake for a while.
    private func answers(_ node: NodeRecord, for kind: SlotKind, until end: Instant) async throws -> Bool {
        let isNew = await !pool.has(node, for: kind)
        let link = try await pool.link(to: node, for: kind)
        do {
            let limit = min(end, options.time.now + Self.reportPatience)
            let result = try await link.invoke(Self.stayActive(Self.stay), .absolute, deadline: limit)
            try await notePromise(Self.promise(result) ?? .zero, of: node.nodeID)
            return true
        } catch {
            try Task.checkCancellation()
            options.logger.debug("\(node.title) does not answer when it has to report: \(error)")
            if isNew { await pool.unlink(node, for: kind) }
            return false
        }
    }

    /// Asks a node that has just woken up to stay awake while the command is carried out; one that does not know how is not
    /// kept from it.
    func keepAwake(_ link: NodeLink) async throws {
        let command = Self.stayActive(Self.stay)
        let deadline = options.time.now + link.node.deliveryBudget + Self.refreshPatience
        guard let result = try? await link.invoke(command, .absolute, deadline: deadline),
            let promise = Self.promise(result)
        else { return }
        try await notePromise(promise, of: link.node.nodeID)
    }

    func notePromise(_ promise: Duration, of node: NodeID) async throws {
        let end = options.unixTime() + promise.components.seconds
        _ = try await context.registrations().update(node) { $0.awakeUntil = end }
    }

    /// One listener for all nodes that are waited for, as long as this controller is open.
    private func listenInBackground() {
        guard listener == nil else { return }
        listener = options.time.start { [weak self, state = options.state] in
            while !Task.isCancelled {
                do {
                    try await self?.listenForCheckIns()
                } catch let error as ControllerError where error.code == .listening {
                    // That process keeps the records; it may end before we do.
                    guard let lock = try? self?.context.listenerLock() else { return }
                    try? await state.lock(lock, timeout: Self.longestTurn).release()
                } catch {
                    return await self?.noteListener(error) ?? ()
                }
            }
        }
    }
}
