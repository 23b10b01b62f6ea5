import Logging
import MatterState

/// The ladder: a session that an earlier process has left, else a resumed one, else a full handshake; raced, and never
/// waited out (docs/decisions/0017).
extension NodeLink {
    /// A command that may run once only goes out at once if the node was heard in its session within this time.
    static let freshness = Duration.seconds(60)
    /// A node with so many sessions for a fabric has room for the kept one, its successor and one of another process.
    private static let roomySessions: UInt16 = 3
    /// How long the node may take to say how often it was started.
    private static let countPatience = Duration.milliseconds(500)
    /// How long the node may take over its first answer in a kept session, once it has acknowledged what may be repeated:
    /// a node that takes our messages for older ones acknowledges them all, and answers none.
    private static let firstAnswer = Duration.seconds(3)
    /// How long it may take to say how often it was started, where a command depends on it.
    private static let proofPatience = Duration.seconds(3)

    /// The state of what is kept between processes.
    struct Keeping: Sendable {
        /// `nil` if nothing is kept.
        let store: KeptSessionStore?
        /// True if a session that is there is closed and not used.
        let isFresh: Bool
        /// False if the session is closed at the end.
        var keepsSessions: Bool
        /// The right to the kept session that is in use.
        var lease: KeptLease?
        /// The kept session, as long as the node has not answered in it.
        var attempt: KeptSessionAttempt?
        /// An attempt whose result somebody waits for.
        var claimed: SessionReference?
        /// Commands under way that may run once only, by session, with the time of the first.
        var risks: [SessionReference: (count: Int, since: Instant)] = [:]
        /// Sessions in whose place there are others, with the search for a proof that their commands did not run.
        var superseded: [SessionReference: Task<Bool, Never>] = [:]
        /// When the session was set up, and how often the node had been started then.
        var beginning: (session: SessionReference, at: Instant, rebootCount: Task<UInt16?, Never>)?

        /// When a session was last wanted, which session the node has answered in since, and who is to know.
        var wanted = Instant.now
        var told: SessionReference?
        var tell: (@Sendable (NodeRecord, SessionRung, Duration) -> Void)?

        init(store: KeptSessionStore?, isFresh: Bool, keepsSessions: Bool) {
            self.store = store
            self.isFresh = isFresh
            self.keepsSessions = keepsSessions
        }
    }

    /// A kept session, and the way down the ladder beside it.
    struct KeptSessionAttempt: Sendable {
        let session: SecureSession
        let began: Instant
        let descent: Task<Result<SecureSession?, any Error>, Never>
    }

    /// What has become of a session.
    enum SessionStanding { case current, superseded, disproved }

    // MARK: Up

    /// The session that an earlier process has left, if this one may use it.
    func keptSession(deadline: Instant) async -> SecureSession? {
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
        let descent = time.start { [self] in await descend(beside: session, deadline: deadline) }
        keeping.attempt = KeptSessionAttempt(session: session, began: time.now, descent: descent)
        return session
    }

    /// The session that is being set up beside a kept one, for a caller that has given up the kept one.
    func successor() async throws -> SecureSession? {
        guard let attempt = keeping.attempt else { return nil }
        keeping.attempt = nil
        keeping.claimed = attempt.session.reference
        let result = await withTaskCancellationHandler {
            await attempt.descent.value
        } onCancel: {
            attempt.descent.cancel()
        }
        return try result.get()
    }

    /// Goes down the ladder if the node is silent on a kept session for longer than usual.
    private func descend(beside old: SecureSession, deadline: Instant) async -> Result<SecureSession?, any Error> {
        do {
            repeat {
                try await time.sleep(for: manager.headStart(on: old.reference))
                guard await !isProven(old) else { return .success(nil) }
                // Without the session there is nothing to wait for; whoever ended it sets up the next one.
                let isThere = await manager.contains(old.reference)
                guard isThere || keeping.claimed == old.reference else { return .success(nil) }
            } while await isEarly(beside: old)
            logger.debug("kept: no answer yet; a handshake beside it")
            let new = try await handshake(deadline: deadline)
            if keeping.claimed == old.reference {
                begin(new)
                return .success(new)
            }
            let isWanted = await !isProven(old)
            guard isWanted, keeping.attempt?.session.reference == old.reference, !Task.isCancelled else {
                await new.close()
                return .success(nil)
            }
            await replace(old, by: new)
            return .success(new)
        } catch {
            return .failure(error)
        }
    }

    /// True if it is not yet time for another session: nothing waits for an acknowledgement, or the other session could
    /// cost a node that grants few of them the one on which the command is.
    private func isEarly(beside old: SecureSession) async -> Bool {
        guard keeping.claimed != old.reference else { return false }
        let waits = await manager.hasUnacknowledged(on: old.reference)
        return isRisky(old) || !waits
    }

    /// True if a command that may run once only is under way in a session of a node with little room for another one.
    private func isRisky(_ session: SecureSession) -> Bool {
        keeping.risks[session.reference] != nil && (node.sessionsPerFabric ?? Self.roomySessions) < Self.roomySessions
    }

    /// True if the node has acknowledged something in a session since this process has it.
    private func isProven(_ session: SecureSession) async -> Bool {
        guard session.rung == .kept, let attempt = keeping.attempt, attempt.session.reference == session.reference
        else {
            return true
        }
        return await manager.lastAcknowledged(on: session.reference).map { $0 > attempt.began } ?? false
    }

    /// The node has answered in a session: there is no need for another.
    func prove(_ session: SecureSession) {
        if keeping.told != session.reference {
            keeping.told = session.reference
            let time = time.now - keeping.wanted
            logger.debug(
                "session: \(session.rung.rawValue), the first answer after \((time / .milliseconds(1) * 10).rounded() / 10) ms"
            )
            keeping.tell?(node, session.rung, time)
        }
        stopTrial(of: session)
    }

    /// What an error says of a session: a refusal is an answer, and after silence it is not left to another process.
    func judge(_ session: SecureSession, by error: any Error) {
        if error is InteractionError { return prove(session) }
        if keeping.told == session.reference { keeping.told = nil }
    }

    /// True if the node has answered nothing yet in a session that an earlier process has left.
    private func isUnanswered(_ session: SecureSession) -> Bool {
        session.rung == .kept && keeping.told != session.reference
    }

    /// How long the node may work on something that may be repeated.
    func patience(on session: SecureSession, usual: Duration) -> Duration {
        isUnanswered(session) ? min(usual, Self.firstAnswer) : usual
    }

    /// Leaves a kept session in which the node acknowledges and does not answer, so that the next one is set up.
    func leaveIfUnanswered(_ session: SecureSession) async {
        guard self.session?.reference == session.reference, isUnanswered(session) else { return }
        logger.debug("kept: acknowledged and not answered; setting up another session")
        stopTrial(of: session)
        await drop(session)
    }

    /// Gives up the handshake beside a kept session.
    private func stopTrial(of session: SecureSession) {
        guard let attempt = keeping.attempt, attempt.session.reference == session.reference else { return }
        keeping.attempt = nil
        attempt.descent.cancel()
    }

    // MARK: Down

    private func replace(_ old: SecureSession, by new: SecureSession) async {
        let found = keeping.lease?.session
        keeping.attempt = nil
        forget(old)
        session = new
        begin(new)
        // A node that has moved may still have the old session.
        if new.address != old.address { await manager.reach(old.reference, at: new.address) }
        guard let risk = keeping.risks[old.reference] else { return await old.leave() }
        let proof = found.flatMap { found -> RestartProof? in
            guard let count = found.rebootCount, let moment = keeping.store?.now() else { return nil }
            let setUp = time.now - found.age(at: moment)
            return RestartProof(rebootCount: count, setUp: setUp, sent: risk.since)
        }
        keeping.superseded[old.reference] = time.start { [self] in
            guard let proof, await holds(proof, on: new) else { return false }
            logger.debug("kept: the node was started again before the command was sent")
            await manager.remove(old.reference)
            return true
        }
    }

    private func holds(_ proof: RestartProof, on session: SecureSession) async -> Bool {
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

    /// Takes note of a new session that may be kept. How often the node was started is asked beside the first command.
    func begin(_ session: SecureSession) {
        guard keeping.store != nil, keeping.keepsSessions, slot?.index == 0 else { return }
        let count = time.start { [self] in
            await diagnostics([GeneralDiagnostics.Attribute.rebootCount], on: session, within: Self.countPatience)
                .first?.flatMap { UInt16(exactly: $0) }
        }
        keeping.beginning = (session.reference, time.now, count)
    }

    /// Forgets that a session was kept.
    func forget(_ session: SecureSession) {
        if keeping.beginning?.session == session.reference { keeping.beginning = nil }
        guard let lease = keeping.lease, session.rung == .kept,
            session.reference == .secure(lease.session.snapshot.parameters.localSessionID)
        else { return }
        keeping.lease = nil
        keeping.store?.remove(node.nodeID)
    }

    // MARK: At the end

    /// Leaves a session to the next process, if one may have it.
    func keep(_ session: SecureSession) async -> Bool {
        if let attempt = keeping.attempt {
            // The node has not answered in it: it may be lost.
            keeping.attempt = nil
            attempt.descent.cancel()
            _ = await attempt.descent.value
            forget(session)
            return false
        }
        guard keeping.keepsSessions else {
            forget(session)
            return false
        }
        guard let store = keeping.store, slot?.index == 0, keeping.told == session.reference,
            await manager.contains(session.reference)
        else {
            forget(session)
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

    /// Ends the session without a word: the node has forgotten us.
    func abandon() async {
        if let session {
            self.session = nil
            stopTrial(of: session)
            forget(session)
            await manager.remove(session.reference)
        }
        freeSlot()
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

    // MARK: What may not happen twice

    /// True if the node has acknowledged nothing in a session for so long that it may have lost it.
    func isStale(_ session: SecureSession) async -> Bool {
        await manager.lastAcknowledged(on: session.reference).map { time.now - $0 > Self.freshness } ?? true
    }

    /// A command that may run once only is about to go out on a session.
    func risk(_ session: SecureSession) {
        let known = keeping.risks[session.reference]
        keeping.risks[session.reference] = ((known?.count ?? 0) + 1, known?.since ?? time.now)
    }

    /// The outcome of such a command is known, or will not be.
    func settle(_ session: SecureSession) {
        guard let risk = keeping.risks[session.reference] else { return }
        keeping.risks[session.reference] = risk.count > 1 ? (risk.count - 1, risk.since) : nil
    }

    func standing(of session: SecureSession) async -> SessionStanding {
        guard let search = keeping.superseded[session.reference] else { return .current }
        return await search.value ? .disproved : .superseded
    }

    /// The answer came on a session that has a successor: it is not needed any more.
    func leaveIfSuperseded(_ session: SecureSession) async {
        guard keeping.superseded[session.reference] != nil else { return }
        await session.leave()
    }
}
