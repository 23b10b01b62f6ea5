import Logging
import MatterState

/// The session that an earlier process has left, and what is left to the next one.
extension NodeLink {
    /// A command that may run once only goes out at once if the node was heard in its session within this time.
    private static let freshness = Duration.seconds(60)
    /// How long the node may take to say how often it was started.
    private static let countPatience = Duration.milliseconds(500)
    /// How long the node may take over its first answer in a kept session, once it has acknowledged what may be repeated:
    /// a node that takes our messages for older ones acknowledges them all, and answers none.
    private static let firstAnswer = Duration.seconds(3)
    /// How long it may take to say how often it was started, where a command depends on it.
    private static let proofPatience = Duration.seconds(3)
    /// How long a proof may take in all.
    static let longestSearch = proofPatience * 2

    /// State kept between processes.
    struct Keeping: Sendable {
        /// `nil` if nothing is kept.
        let store: KeptSessionStore?
        /// True if a session that is there is closed and not used.
        let isFresh: Bool
        /// False if the session is closed at the end.
        var keepsSessions: Bool
        /// The right to the kept session that is in use.
        var lease: KeptLease?
        /// When the session was set up, and how often the node had been started then.
        var beginning: (session: SessionReference, at: Instant, rebootCount: Task<UInt16?, Never>)?
        /// When a subscription told how often the node had been started, and on which session.
        var told: (session: SessionReference, at: Instant, rebootCount: UInt16)?

        init(store: KeptSessionStore?, isFresh: Bool, keepsSessions: Bool) {
            self.store = store
            self.isFresh = isFresh
            self.keepsSessions = keepsSessions
        }
    }

    // MARK: From an earlier process

    /// The session that an earlier process has left, if this one may use it.
    func keptSession() async -> SecureSession? {
        guard let store = keeping.store, slot?.index == 0, let lease = store.take(node.nodeID, now: time.now) else {
            return nil
        }
        let found = lease.session
        let address = found.snapshot.parameters.address
        await manager.prefer(port: found.port)
        let adopted = try? await manager.adopt(found.snapshot, counters: KeptSessionStore.block) { [time] in
            lease.reserve(now: time.now)
        }
        guard let reference = adopted ?? nil else { return nil }
        let session = SecureSession(
            manager: manager, reference: reference, established: found.established, address: address, rung: .kept)
        guard !keeping.isFresh, !lease.isOld, onlyAddresses.isEmpty || onlyAddresses.contains(address) else {
            store.remove(node.nodeID)
            await session.close()
            return nil
        }
        logger.debug("kept: going on with a session with node \(node.nodeID) at \(address)")
        keeping.lease = lease
        return session
    }

    /// How long the node may work on something that may be repeated.
    func patience(on session: SecureSession, usual: Duration) -> Duration {
        isUnanswered(session) ? min(usual, Self.firstAnswer) : usual
    }

    /// True if the node has acknowledged nothing in a session for so long that it may have lost it.
    func isStale(_ session: SecureSession) async -> Bool {
        await manager.lastAcknowledged(on: session.reference).map { time.now - $0 > Self.freshness } ?? true
    }

    // MARK: Starts of the node

    /// Takes note of how often the node had been started, as a subscription on the session has told.
    func note(rebootCount: UInt16, on session: SecureSession) {
        keeping.told = (session.reference, time.now, rebootCount)
    }

    /// The proof that a command of a session did not run; `nil` if nothing can.
    func restartProof(of session: SessionReference, since sent: Instant) -> RestartProof? {
        if let told = keeping.told, told.session == session {
            return RestartProof(rebootCount: told.rebootCount, setUp: told.at, sent: sent)
        }
        guard let found = keeping.lease?.session, let count = found.rebootCount, let moment = keeping.store?.now()
        else {
            return nil
        }
        return RestartProof(rebootCount: count, setUp: time.now - found.age(at: moment), sent: sent)
    }

    func holds(_ proof: RestartProof, on session: SecureSession) async -> Bool {
        let asked = time.now
        typealias Diagnostics = GeneralDiagnostics.Attribute
        let values = await diagnostics(
            [Diagnostics.rebootCount, Diagnostics.upTime], on: session, within: Self.proofPatience)
        guard let count = values.first ?? nil, let seconds = values.last ?? nil,
            let rebootCount = UInt16(exactly: count), let upTime = Int64(exactly: seconds)
        else { return false }
        return proof.holds(
            rebootCount: rebootCount, upTime: .seconds(upTime), asked: asked, answered: time.now)
    }

    /// Numbers of the cluster General Diagnostics, in the order of the attributes.
    private func diagnostics(
        _ attributes: [AttributeID], on session: SecureSession, within patience: Duration
    ) async -> [UInt64?] {
        let paths = attributes.map { AttributePath(endpoint: 0, cluster: GeneralDiagnostics.id, attribute: $0) }
        var transaction = ReadTransaction(ReadRequest(attributePaths: paths))
        let result = try? await client(session).run(
            &transaction, deadline: time.now + patience, processing: patience)
        return paths.map { path in result?.attributes.first { $0.path.attribute == path.attribute }?.value?.integer() }
    }

    // MARK: To the next process

    /// True if the session may be left to the next process.
    var canKeep: Bool { keeping.keepsSessions && keeping.store != nil && slot?.index == 0 }

    /// Takes note of a new session that may be kept. How often the node was started is asked beside the first command.
    func begin(_ session: SecureSession) {
        guard canKeep else { return }
        let count = time.start { [self] in
            await diagnostics([GeneralDiagnostics.Attribute.rebootCount], on: session, within: Self.countPatience)
                .first?.flatMap { UInt16(exactly: $0) }
        }
        keeping.beginning = (session.reference, time.now, count)
    }

    /// Forgets that a session was kept.
    func forget(_ session: SessionReference) {
        if keeping.beginning?.session == session { keeping.beginning = nil }
        guard let lease = keeping.lease, session == .secure(lease.session.snapshot.parameters.localSessionID) else {
            return
        }
        keeping.lease = nil
        keeping.store?.remove(node.nodeID)
    }

    /// Leaves a session to the next process, if one can have it.
    func keep(_ session: SecureSession) async -> Bool {
        guard let store = keeping.store, await manager.contains(session.reference) else {
            forget(session.reference)
            return false
        }
        let beginning = keeping.beginning.flatMap { $0.session == session.reference ? $0 : nil }
        let rebootCount = await beginning?.rebootCount.value ?? keeping.lease?.session.rebootCount
        guard let moment = store.now(),
            let setUp = beginning.map({ moment.sinceBoot - (time.now - $0.at).wholeNanoseconds })
                ?? keeping.lease?.session.setUp,
            let snapshot = await manager.handOver(
                session.reference, SecureSessionParameters(session.established, address: session.address))
        else { return false }
        let kept = KeptSession(
            snapshot: snapshot, peerParameters: session.established.peerParameters, setUp: setUp,
            rebootCount: rebootCount, certificate: 0, port: await manager.port, moment: moment)
        store.save(kept, of: node.nodeID, lease: keeping.lease, now: time.now)
        keeping.lease = nil
        keeping.beginning = nil
        return true
    }

    /// Ends the session for good, also one that an earlier process has left: the node is told if it may still have it.
    func end(deadline: Instant) async {
        keeping.keepsSessions = false
        await close()
        _ = try? await endKept(deadline: deadline)
    }

    /// Closes the session that an earlier process has left.
    ///
    /// - Returns: `false` if there is none.
    func endKept(deadline: Instant) async throws -> Bool {
        try await takeSlot(deadline: deadline)
        defer { freeSlot() }
        guard let store = keeping.store, slot?.index == 0, let lease = store.take(node.nodeID, now: time.now) else {
            return false
        }
        await manager.prefer(port: lease.session.port)
        let adopted = try? await manager.adopt(lease.session.snapshot, counters: KeptSessionStore.block) { nil }
        store.remove(node.nodeID)
        guard let reference = adopted ?? nil else { return true }
        await SecureSession(
            manager: manager, reference: reference, established: lease.session.established,
            address: lease.session.snapshot.parameters.address, rung: .kept
        ).leave()
        return true
    }
}
