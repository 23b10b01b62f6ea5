import Logging
package import MatterState

/// The way to one node: a session when needed, another one when the first is lost, and no command twice.
///
/// ``SessionLadder`` decides; this performs.
public actor NodeLink {
    /// How long a device may take beyond the delivery of messages.
    package struct Patience: Sendable {
        /// For an answer to anything.
        package var usual: Duration
        /// For the answer to a command or a write that the device has acknowledged; `nil` as for anything.
        package var afterAcknowledgement: Duration?
        /// For the first sign of a node that is only read; `nil` for the whole time of the task.
        package var silence: Duration?

        // memberwise: package, afterAcknowledgement = nil, silence = nil
    }

    /// How long the handshakes of other processes with this node wait for ours.
    private static let longestTurn = Duration.seconds(3)
    /// How long a peer may take over the last message of a resumption.
    private static let lastWord = Duration.milliseconds(500)
    /// How long a session that has subscriptions may be silent before it is watched when it is used.
    private static let shortSilence = Duration.seconds(1)
    /// A wait for a slot that another process has caused.
    private static let noticeableWait = Duration.milliseconds(50)
    /// The time after which silence says something of the device.
    private static let fairTurn = Duration.seconds(5)

    package nonisolated let node: NodeRecord
    nonisolated let manager: ExchangeManager
    private let makeConnector: @Sendable () async throws -> NodeConnector
    let onlyAddresses: [PeerAddress]
    private let nodes: NodeStore
    let patience: Patience
    /// Who wants to know that the node is waited for.
    private let waits: (any NodeWaits)?
    let logger: Logger
    /// Told how long it took until the node answered in a session.
    private let tell: (@Sendable (NodeRecord, SessionRung, Duration) -> Void)?
    /// Told of a session that is not used any more: subscriptions on it are over.
    private let left: (@Sendable (SessionReference) -> Void)?
    /// The session in use, as it was told last.
    private var inUse: SessionReference?
    private var ladder: SessionLadder
    /// The sessions that the ladder speaks of.
    private var sessions: [SessionReference: SecureSession] = [:]
    /// Tells those who wait that the ladder has another state.
    private let changes = ChangeSignal()
    /// The way to another session beside one on trial.
    private var beside: Task<Void, Never>?
    /// Sessions that are being ended, each with the work of doing it.
    private var endings: [SessionReference: Task<Void, Never>] = [:]
    private let slots: SessionSlots
    /// The permit that allows this link to have a session: from before it is set up until it is closed, and over to its replacement.
    var slot: SlotLease?
    /// Whether there is a session already.
    public var hasSession: Bool { ladder.session != nil }
    /// How many followers need the session.
    private var followers = 0
    /// When the node last answered a handshake.
    private(set) var answeredAt: Instant?
    /// The session on which followers have left subscriptions behind: the node keeps them until it reports to them next.
    private var burdened: SessionReference?
    /// State kept between processes.
    var keeping: Keeping

    init(
        node: NodeRecord, manager: ExchangeManager, connector: @escaping @Sendable () async throws -> NodeConnector,
        onlyAddresses: [PeerAddress], nodes: NodeStore, slots: SessionSlots, kept: KeptSessionStore? = nil,
        isFresh: Bool = false, keepsSessions: Bool = true,
        tell: (@Sendable (NodeRecord, SessionRung, Duration) -> Void)? = nil,
        left: (@Sendable (SessionReference) -> Void)? = nil, patience: Patience, waits: (any NodeWaits)? = nil,
        logger: Logger
    ) {
        self.node = node
        self.manager = manager
        makeConnector = connector
        self.onlyAddresses = onlyAddresses
        self.nodes = nodes
        self.slots = slots
        self.tell = tell
        self.left = left
        self.patience = patience
        self.waits = waits
        self.logger = logger
        ladder = SessionLadder(sessionsPerFabric: node.sessionsPerFabric, now: manager.time.now)
        keeping = Keeping(store: kept, isFresh: isFresh, keepsSessions: keepsSessions)
    }

    /// The promises of the link to the node.
    nonisolated var time: any TimeSource { manager.time }
    nonisolated var link: LinkProperties { manager.link }

    func client(_ session: SecureSession) -> InteractionClient { InteractionClient(session) }

    func beginWait(until deadline: Instant) {
        waits?.began(node, at: onlyAddresses.isEmpty ? node.addresses : onlyAddresses, until: deadline)
    }

    func endWait() { waits?.ended(node) }

    // MARK: A session

    /// The session under way, or a new one.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    @discardableResult
    public func connect(deadline: Instant) async throws -> SecureSession {
        if let session = await usableSession() {
            await watchIfOld(session, deadline: deadline)
            return session
        }
        beginWait(until: deadline)
        defer { endWait() }
        while true {
            let mark = changes.mark
            if let session = await usableSession() { return session }
            for action in ladder.handle(.wanted, now: time.now) {
                if case .enter = action { return try await climb(deadline: deadline) }
                try await perform(action)
            }
            await changes.wait(after: mark, until: deadline, of: time)
            try Task.checkCancellation()
            guard time.now < deadline else {
                throw SessionError(.noReply, phase: .case, "another task was still setting up or ending this session")
            }
        }
    }

    /// Watches a session in which the node has acknowledged nothing for some time, as one that an earlier process has left: the
    /// node may have been started again, and its subscriptions would notice that late.
    private func watchIfOld(_ session: SecureSession, deadline: Instant) async {
        guard followers > 0, let heard = await manager.lastAcknowledged(on: session.reference),
            time.now - heard > Self.shortSilence
        else { return }
        for case .watch in ladder.handle(.aged(session.reference), now: time.now) {
            beside = time.start { [self] in await descend(beside: session, deadline: deadline) }
        }
    }

    private func usableSession() async -> SecureSession? {
        guard let reference = ladder.session, let session = sessions[reference] else { return nil }
        if await manager.contains(reference) { return session }
        sessions[reference] = nil
        await handle(.gone(reference))
        return nil
    }

    /// From a slot to a session.
    private func climb(deadline: Instant) async throws -> SecureSession {
        let began = time.now
        var ready = began
        var turn: SlotLease?
        do {
            try await takeSlot(deadline: deadline)
            let taken = slot
            turn = taken
            ready = time.now
            if let kept = await keptSession() {
                taken?.passTurn()
                sessions[kept.reference] = kept
                for action in ladder.handle(.found(kept.reference), now: time.now) {
                    if case .watch = action {
                        beside = time.start { [self] in await descend(beside: kept, deadline: deadline) }
                    }
                }
                changes.fire()
                return kept
            }
            await handle(.nothingKept)
            // Many devices take part in one handshake at a time. One that leads nowhere does not keep the others for long.
            async let _ = passTurn(taken)
            let session = try await handshake(deadline: deadline)
            sessions[session.reference] = session
            await handle(.established(session.reference))
            if session.isResumed, let taken {
                // The last word of the handshake was ours: the peer has yet to hear it.
                time.start { [weak taken, time] in
                    try? await time.sleep(for: Self.lastWord)
                    taken?.passTurn()
                }
            } else {
                taken?.passTurn()
            }
            return session
        } catch {
            turn?.passTurn()
            for case .freeSlot in ladder.handle(.failed(error), now: time.now) { freeSlot() }
            changes.fire()
            let waited = ready - began
            guard waited > Self.noticeableWait, (error as? SessionError)?.isSilence ?? false,
                deadline - ready < min(Self.fairTurn, waited)
            else { throw error }
            // The time went with waiting; that says nothing of the device.
            throw ControllerError.sessionsInUse(of: node, by: [], waited: waited)
        }
    }

    private nonisolated func passTurn(_ turn: SlotLease?) async {
        do { try await time.sleep(for: Self.longestTurn) } catch { return }
        turn?.passTurn()
    }

    /// A session by a handshake: resumed if possible.
    private func handshake(deadline: Instant) async throws -> SecureSession {
        let session = try await makeConnector().connect(
            to: node.nodeID, hints: onlyAddresses.isEmpty ? node.addresses : onlyAddresses,
            onlyHints: !onlyAddresses.isEmpty, reliability: node.reliability ?? .standard, deadline: deadline)
        answeredAt = time.now
        return session
    }

    func takeSlot(deadline: Instant) async throws {
        if slot == nil { slot = try await slots.take(for: node, deadline: deadline) }
    }

    func freeSlot() {
        slot?.release()
        slot = nil
    }

    // MARK: Beside a session on trial

    /// Goes down the ladder if the node is silent on a session on trial for longer than usual.
    private func descend(beside old: SecureSession, deadline: Instant) async {
        watching: while true {
            do { try await time.sleep(for: manager.headStart(on: old.reference)) } catch { return }
            let facts = await facts(of: old.reference)
            guard !Task.isCancelled else { return }
            switch ladder.handle(.doubted(old.reference, facts), now: time.now).first {
            case .watch: continue
            case .shakeBeside: break watching
            default: return
            }
        }
        logger.debug("kept: no answer yet; a handshake beside it")
        do {
            let new = try await handshake(deadline: deadline)
            let facts = await facts(of: old.reference)
            sessions[new.reference] = new
            guard !Task.isCancelled else { return await end(new) }
            await handle(.establishedBeside(old.reference, new.reference, facts))
        } catch {
            guard !Task.isCancelled else { return }
            await handle(.failedBeside(old.reference, error))
        }
    }

    private func facts(of session: SessionReference) async -> SessionLadder.Facts {
        SessionLadder.Facts(
            isThere: await manager.contains(session), acknowledged: await manager.lastAcknowledged(on: session),
            isWaiting: await manager.hasUnacknowledged(on: session))
    }

    // MARK: What the ladder says

    /// Tells the ladder of something, and does what it says.
    func handle(_ event: SessionLadder.Event) async {
        let actions = ladder.handle(event, now: time.now)
        changes.fire()
        if let inUse, inUse != ladder.session { left?(inUse) }
        inUse = ladder.session
        for action in actions { try? await perform(action) }
    }

    /// - Throws: what the ladder says that has failed.
    private func perform(_ action: SessionLadder.Action) async throws {
        switch action {
        case .enter, .watch, .shakeBeside:
            // The caller that told the ladder goes on with these itself.
            break
        case .stopBeside:
            beside?.cancel()
            beside = nil
        case .begin(let session): if let session = sessions[session] { begin(session) }
        case .tell(let session, let duration):
            guard let rung = sessions[session]?.rung else { return }
            let shown = (duration / .milliseconds(1) * 10).rounded() / 10
            logger.debug("session: \(rung.rawValue), the first answer after \(shown) ms")
            tell?(node, rung, duration)
        case .forget(let session): forget(session)
        case .reach(let old, let new):
            // A node that has moved may still have the old session.
            guard let address = sessions[new]?.address, address != sessions[old]?.address else { return }
            await manager.reach(old, at: address)
        case .seekProof(let old, let new, let since): seekProof(old, on: new, since: since)
        case .leave(let session): await sessions.removeValue(forKey: session)?.leave()
        case .drop(let session): await drop(session)
        case .end(let session):
            if let session = sessions[session] { await end(session) }
        case .remove(let session):
            sessions[session] = nil
            await manager.remove(session)
        case .keep(let session):
            if let session = sessions[session], await !keep(session) { await end(session) }
            sessions[session] = nil
        case .freeSlot: freeSlot()
        case .fail(let error): throw error
        }
    }

    private func end(_ session: SecureSession) async {
        sessions[session.reference] = nil
        await session.close()
    }

    /// The peer is told before anything else is tried, so that it has one session with us and not two; an interruption
    /// does not keep it from being told.
    private func drop(_ reference: SessionReference) async {
        if let ending = endings[reference] { return await ending.value }
        guard let session = sessions.removeValue(forKey: reference) else { return }
        let ending = time.start { await session.closeInsistently() }
        endings[reference] = ending
        await ending.value
        endings[reference] = nil
    }

    private func seekProof(_ old: SessionReference, on new: SessionReference, since: Instant) {
        guard let session = sessions[new] else { return }
        let proof = restartProof(of: old, since: since)
        time.start { [self] in
            let isProven = if let proof { await holds(proof, on: session) } else { false }
            if isProven { logger.debug("kept: the node was started again before the command was sent") }
            await handle(.searched(old, isProven: isProven))
        }
    }

    // MARK: What its users say

    /// The node has answered in a session: there is no need for another.
    func prove(_ session: SecureSession) async { await handle(.answered(session.reference)) }

    /// The statement of an error about a session: a refusal is an answer, and after silence it is not left to another process.
    func judge(_ session: SecureSession, by error: any Error) async {
        await handle(error is InteractionError ? .answered(session.reference) : .silent(session.reference))
    }

    /// Gives up a session whose peer may still have it, and something that was sent on it may still be on its way.
    func drop(_ session: SecureSession) async { await handle(.lost(session.reference)) }

    /// Gives up a session that is in use; what becomes of another one is settled.
    func dropIfInUse(_ session: SecureSession) async {
        if ladder.session == session.reference { await drop(session) }
    }

    /// Ends the session, so that the next message sets up another one.
    func renew() async {
        if let session = ladder.session { await handle(.lost(session)) }
    }

    /// Leaves a kept session in which the node acknowledges and does not answer, so that the next one is set up.
    func leaveIfUnanswered(_ session: SecureSession) async { await handle(.unanswered(session.reference)) }

    /// True if the node has answered nothing yet in a session that an earlier process has left.
    func isUnanswered(_ session: SecureSession) -> Bool { ladder.isUnanswered(session.reference) }

    /// A command that may run once only is about to go out on a session.
    func risk(_ session: SecureSession) { _ = ladder.handle(.risked(session.reference), now: time.now) }

    /// The outcome of such a command is known, or will not be.
    func settle(_ session: SecureSession) { _ = ladder.handle(.settled(session.reference), now: time.now) }

    /// The fate of a session that was replaced; `nil` for one that was not.
    func succession(of session: SecureSession) async -> SessionLadder.Succession? {
        let deadline = time.now + Self.longestSearch
        while true {
            let mark = changes.mark
            guard case .searching? = ladder.succession(of: session.reference), time.now < deadline else { break }
            await changes.wait(after: mark, until: deadline, of: time)
            if Task.isCancelled { break }
        }
        return ladder.succession(of: session.reference)
    }

    /// Says that a follower needs the session until it calls `leave`.
    func enter() { followers += 1 }

    /// Says that a follower needs the session no more; the last one ends it.
    func leave() async {
        followers -= 1
        if followers == 0 { await close() } else { burdened = ladder.session }
    }

    /// Ends the session, unless a follower needs it.
    func closeIfIdle() async { if followers == 0 { await close() } }

    /// Whether a set-up failed for a reason of ours: its session was ended meanwhile, or kept subscriptions without a
    /// follower alive at a node that is full; then it is ended.
    func hasEnded(_ session: SecureSession, nodeIsFull: Bool) async -> Bool {
        if nodeIsFull, burdened == session.reference {
            burdened = nil
            await drop(session)
        }
        return ladder.session != session.reference
    }

    /// Remembers where the node was reached and ends the session.
    package func close() async {
        let session = ladder.session.flatMap { sessions[$0] }
        let way = beside
        await handle(.close(canKeep: canKeep))
        // A handshake that is given up is told to the node.
        if let way, way.isCancelled { await way.value }
        guard let session, case .closing = ladder.state else { return }
        await handle(.closed)
        // An address that was given by hand is not the way to find the node next time.
        let address = onlyAddresses.isEmpty ? session.address : node.addresses.first
        let reliability = session.reliability
        guard node.addresses.first != address || (node.reliability ?? .standard) != reliability else { return }
        do {
            try await nodes.update(node.nodeID) { record in
                if let address { record.addresses = [address] }
                record.reliability = reliability
            }
        } catch {
            logger.warning("the address of node \(node.nodeID) could not be stored: \(error)")
        }
    }

    /// Ends the session without a word: the node has forgotten us.
    func abandon() async { await handle(.abandoned) }
}
