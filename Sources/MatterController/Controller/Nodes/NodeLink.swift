import Logging
package import MatterState

/// The way to one node: a session when needed, another one when the first is lost, and no command twice.
public actor NodeLink {
    /// How long a device may take beyond the delivery of messages.
    package struct Patience: Sendable {
        /// For an answer to anything.
        package var usual: Duration
        /// For the answer to a command or a write that the device has acknowledged; `nil` as for anything.
        package var afterAcknowledgement: Duration?

        // memberwise: package, afterAcknowledgement = nil
    }

    /// How often to look whether another task has set the session up.
    private static let connectingPause = Duration.milliseconds(2)
    /// How long the handshakes of other processes with this node wait for ours.
    private static let longestTurn = Duration.seconds(3)
    /// How long a peer may take over the last message of a resumption.
    private static let lastWord = Duration.milliseconds(500)
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
    var session: SecureSession?
    /// True if a session is being set up: two would cost the device one too many.
    private var isConnecting = false
    /// How many sessions are being ended in peace: the node would count them beside a new one.
    private var closing = 0
    private let slots: SessionSlots
    /// What allows this link to have a session: from before it is set up until it is closed, and over to its replacement.
    var slot: SlotLease?
    /// How many followers need the session.
    private var followers = 0
    /// The session on which followers have left subscriptions behind: the node keeps them until it reports to them next.
    private var burdened: SessionReference?
    /// Sessions that are being ended, each with the work of doing it.
    private var endings: [SessionReference: Task<Void, Never>] = [:]
    /// What is known of the session that is kept between processes.
    var keeping: Keeping

    init(
        node: NodeRecord, manager: ExchangeManager, connector: @escaping @Sendable () async throws -> NodeConnector,
        onlyAddresses: [PeerAddress], nodes: NodeStore, slots: SessionSlots, kept: KeptSessionStore? = nil,
        isFresh: Bool = false, keepsSessions: Bool = true,
        tell: (@Sendable (NodeRecord, SessionRung, Duration) -> Void)? = nil,
        patience: Patience, waits: (any NodeWaits)? = nil, logger: Logger
    ) {
        self.node = node
        self.manager = manager
        makeConnector = connector
        self.onlyAddresses = onlyAddresses
        self.nodes = nodes
        self.slots = slots
        keeping = Keeping(store: kept, isFresh: isFresh, keepsSessions: keepsSessions)
        keeping.tell = tell
        self.patience = patience
        self.waits = waits
        self.logger = logger
    }

    // MARK: Sessions

    func beginWait(until deadline: Instant) {
        waits?.began(node, at: onlyAddresses.isEmpty ? node.addresses : onlyAddresses, until: deadline)
    }

    func endWait() { waits?.ended(node) }

    /// The session under way, or a new one.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    @discardableResult
    public func connect(deadline: Instant) async throws -> SecureSession {
        while true {
            if let session = await usableSession() { return session }
            guard isConnecting || closing > 0 else { break }
            try await time.sleep(for: Self.connectingPause)
            guard time.now < deadline else {
                throw SessionError(.noReply, phase: .case, "another task was still setting up or ending this session")
            }
        }
        isConnecting = true
        beginWait(until: deadline)
        defer {
            endWait()
            isConnecting = false
        }
        let session = try await newSession(deadline: deadline)
        self.session = session
        return session
    }

    private func usableSession() async -> SecureSession? {
        guard let session, await session.manager.contains(session.reference) else { return nil }
        return session
    }

    private func newSession(deadline: Instant) async throws -> SecureSession {
        let began = time.now
        keeping.wanted = began
        try await takeSlot(deadline: deadline)
        let turn = slot
        let ready = time.now
        if let kept = await keptSession(deadline: deadline) {
            turn?.passTurn()
            return kept
        }
        // Many devices take part in one handshake at a time. One that leads nowhere does not keep the others for long.
        async let _ = passTurn(turn)
        do {
            var session = try await successor()
            if session == nil {
                let new = try await handshake(deadline: deadline)
                begin(new)
                session = new
            }
            guard let session else { throw CancellationError() }
            if session.isResumed, let turn {
                // The last word of the handshake was ours: the peer has yet to hear it.
                time.start { [weak turn, time] in
                    try? await time.sleep(for: Self.lastWord)
                    turn?.passTurn()
                }
            } else {
                turn?.passTurn()
            }
            return session
        } catch {
            turn?.passTurn()
            if session == nil { freeSlot() }
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
    func handshake(deadline: Instant) async throws -> SecureSession {
        try await makeConnector().connect(
            to: node.nodeID, hints: onlyAddresses.isEmpty ? node.addresses : onlyAddresses,
            onlyHints: !onlyAddresses.isEmpty, reliability: node.reliability ?? .standard, deadline: deadline)
    }

    func takeSlot(deadline: Instant) async throws {
        if slot == nil { slot = try await slots.take(for: node, deadline: deadline) }
    }

    func freeSlot() {
        slot?.release()
        slot = nil
    }

    /// Says that a follower needs the session until it calls `leave`.
    func enter() { followers += 1 }

    /// Says that a follower needs the session no more; the last one ends it.
    func leave() async {
        followers -= 1
        if followers == 0 { await close() } else { burdened = session?.reference }
    }

    /// Whether a set-up failed for a reason of ours: its session was ended meanwhile, or kept subscriptions without a
    /// follower alive at a node that is full; then it is ended.
    func hasEnded(_ session: SecureSession, nodeIsFull: Bool) async -> Bool {
        if nodeIsFull, burdened == session.reference {
            burdened = nil
            await drop(session)
        }
        return self.session?.reference != session.reference
    }

    /// Remembers where the node was reached and ends the session.
    package func close() async {
        guard let session else { return freeSlot() }
        self.session = nil
        closing += 1
        if await !keep(session) { await session.close() }
        closing -= 1
        freeSlot()
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

    /// Gives up a session whose peer may still have it, and something that was sent on it may still be on its way.
    ///
    /// The peer is told before anything else is tried, so that it has one session with us and not two; an interruption
    /// does not keep it from being told.
    func drop(_ session: SecureSession) async {
        if self.session?.reference == session.reference { self.session = nil }
        forget(session)
        if let ending = endings[session.reference] { return await ending.value }
        let ending = time.start { await session.closeInsistently() }
        endings[session.reference] = ending
        await ending.value
        endings[session.reference] = nil
    }

    /// The promises of the link to the node.
    nonisolated var time: any TimeSource { manager.time }
    nonisolated var link: LinkProperties { manager.link }

    func client(_ session: SecureSession) -> InteractionClient { InteractionClient(session) }

    // MARK: Reading

    /// Reads paths in request order, in as many portions as it takes.
    ///
    /// - Parameters:
    ///   - events: also the log of these.
    ///   - versions: the clusters that are left out if they still have these data versions.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func read(
        _ paths: [AttributePath], events: [EventPath] = [], unlessAt versions: [DataVersionFilter] = [],
        isFabricFiltered: Bool = true, deadline: Instant
    ) async throws -> ReadResult {
        var result = ReadResult()
        for request in try ReadRequest(
            attributePaths: paths, eventPaths: events, isFabricFiltered: isFabricFiltered,
            dataVersionFilters: versions
        ).split(maxPayload: link.largestPayload) {
            result.merge(try await repeating(ReadTransaction(request), deadline: deadline))
        }
        return result
    }

    /// Reads the log of events, oldest first.
    ///
    /// - Parameter minimum: the first event number of interest; `nil` for all.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func readEvents(
        _ paths: [EventPath], from minimum: UInt64? = nil, deadline: Instant
    ) async throws -> [EventReport] {
        var result = ReadResult()
        for request in try ReadRequest(
            attributePaths: [], eventPaths: paths, eventFilters: minimum.map { [EventFilter(minimum: $0)] } ?? []
        ).split(maxPayload: link.largestPayload) {
            result.merge(try await repeating(ReadTransaction(request), deadline: deadline))
        }
        return result.events
    }

    /// Runs something that changes nothing: again on the same session if the answer got lost, on a new one if the peer
    /// fell silent.
    private func repeating<Transaction: InteractionTransaction>(
        _ transaction: Transaction, deadline: Instant
    ) async throws -> Transaction.Output {
        beginWait(until: deadline)
        defer { endWait() }
        while true {
            let session = try await connect(deadline: deadline)
            var attempt = transaction
            do {
                let output = try await client(session).run(
                    &attempt, deadline: deadline, processing: patience(on: session, usual: patience.usual))
                prove(session)
                return output
            } catch let error as TransportError where time.now < deadline {
                switch error.code {
                case .noReply:
                    logger.debug("no answer came; asking again")
                    await leaveIfUnanswered(session)
                case .notAcknowledged, .unreachable, .closed:
                    logger.debug("the session is lost; setting up another one")
                    await drop(session)
                default:
                    throw error
                }
            } catch {
                judge(session, by: error)
                throw error
            }
        }
    }
}
