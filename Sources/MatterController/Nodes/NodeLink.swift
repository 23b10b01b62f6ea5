import Logging
import MatterCommissioning
import MatterCredentials
package import MatterInteraction
package import MatterSession
import MatterStore
package import MatterTLV
package import MatterTransport

/// The way to one node: a session when needed, another one when the first is lost, and no command twice.
package actor NodeLink {
    /// Whether doing a command twice comes to the same as doing it once.
    package enum Repeatability: Sendable {
        /// It sets an absolute state; it may be repeated after silence.
        case absolute
        /// It is never sent again unless it is known not to have run.
        case atMostOnce
    }

    /// The pace at which a command that was given up is sent again, unchanged, while a new session is set up.
    private static let resendPace = Duration.milliseconds(600)
    /// How long the old session has for an acknowledgement after the new one stands: some three transmissions.
    private static let lastChance = resendPace * 3
    /// For timed interactions: the time the device waits for the request itself.
    private static let timedTimeout: UInt16 = 10_000

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
    private let connector: NodeConnector
    private let onlyAddresses: [PeerAddress]
    private let nodes: NodeStore
    private let processing: Duration
    private let logger: Logger
    private var session: SecureSession?
    /// Whether a session is being set up: two would cost the device one too many.
    private var isConnecting = false
    private let slots: SessionSlots
    /// What allows this link to have a session: from before it is set up until it is closed, and over to its replacement.
    private var slot: SlotLease?

    /// - Parameter processing: how long the device may take to do what it is told.
    init(
        node: NodeRecord, connector: NodeConnector, onlyAddresses: [PeerAddress], nodes: NodeStore,
        slots: SessionSlots, processing: Duration, logger: Logger
    ) {
        self.node = node
        self.connector = connector
        self.onlyAddresses = onlyAddresses
        self.nodes = nodes
        self.slots = slots
        self.processing = processing
        self.logger = logger
    }

    // MARK: Sessions

    /// The session under way, or a new one.
    @discardableResult
    package func connect(deadline: Instant) async throws -> SecureSession {
        while true {
            if let session = await usableSession() { return session }
            guard isConnecting else { break }
            try await Task.sleep(for: Self.connectingPause)
            guard Instant.now < deadline else {
                throw SessionError(.noReply, phase: "case", "another task was still setting up the session")
            }
        }
        isConnecting = true
        defer { isConnecting = false }
        let session = try await newSession(deadline: deadline)
        self.session = session
        return session
    }

    private func usableSession() async -> SecureSession? {
        guard let session, await session.manager.contains(session.reference) else { return nil }
        return session
    }

    private func newSession(deadline: Instant) async throws -> SecureSession {
        let began = Instant.now
        if slot == nil { slot = try await slots.take(for: node, deadline: deadline) }
        let turn = slot
        let ready = Instant.now
        // Many devices take part in one handshake at a time. One that leads nowhere does not keep the others for long.
        async let _ = turn?.passTurn(after: Self.longestTurn)
        let hints = onlyAddresses.isEmpty ? node.addresses : onlyAddresses
        do {
            let session = try await connector.connect(
                to: node.nodeID, hints: hints, onlyHints: !onlyAddresses.isEmpty,
                reliability: node.reliability ?? .standard, deadline: deadline)
            if session.isResumed, let turn {
                // The last word of the handshake was ours: the peer has yet to hear it.
                Task { [weak turn] in
                    try? await Task.sleep(for: Self.lastWord)
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

    private func freeSlot() {
        slot?.release()
        slot = nil
    }

    /// Remembers where the node was reached and ends the session.
    package func close() async {
        guard let session else { return freeSlot() }
        self.session = nil
        await session.close()
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
            logger.warning("where node \(node.nodeID) was reached could not be kept: \(error)")
        }
    }

    private func client(_ session: SecureSession) -> InteractionClient { InteractionClient(session) }

    // MARK: Reading

    /// Reads paths in request order, in as many portions as it takes.
    package func read(
        _ paths: [AttributePath], isFabricFiltered: Bool = true, deadline: Instant
    ) async throws -> ReadResult {
        var result = ReadResult()
        for start in stride(from: 0, to: paths.count, by: ReadLimits.pathsPerRead) {
            let portion = Array(paths[start..<min(start + ReadLimits.pathsPerRead, paths.count)])
            let transaction = ReadTransaction(
                ReadRequest(attributePaths: portion, isFabricFiltered: isFabricFiltered))
            var hasRepeated = false
            result.merge(try await repeating(transaction, deadline: deadline, &hasRepeated))
        }
        return result
    }

    /// Runs something that may be repeated: on the same session if the answer got lost, on a new one if the peer fell
    /// silent.
    ///
    /// - Parameter hasRepeated: set if an earlier transmission may have been carried out.
    private func repeating<Transaction: InteractionTransaction>(
        _ transaction: Transaction, deadline: Instant, _ hasRepeated: inout Bool
    ) async throws -> Transaction.Output {
        while true {
            let session = try await connect(deadline: deadline)
            var attempt = transaction
            do {
                return try await client(session).run(&attempt, deadline: deadline, processing: processing)
            } catch let error as TransportError where Instant.now < deadline {
                switch error.code {
                case .noReply:
                    logger.debug("the answer did not come; asking again")
                case .notAcknowledged, .unreachable, .closed:
                    logger.debug("the session is dead; setting up another one")
                    await drop(session)
                default:
                    throw error
                }
                hasRepeated = hasRepeated || error.code != .unreachable
            }
        }
    }

    private func drop(_ session: SecureSession) async {
        await session.manager.remove(session.reference)
        if self.session?.reference == session.reference { self.session = nil }
    }

    // MARK: Writing

    /// Writes attributes. A write sets an absolute state, so it may be repeated.
    package func write(
        _ writes: [AttributeWrite], isTimed: Bool, deadline: Instant
    ) async throws -> [AttributeWriteResult] {
        let results: [AttributeWriteResult]
        do {
            results = try await writeOnce(writes, isTimed: isTimed, deadline: deadline)
        } catch let error as InteractionError where error.status == .needsTimedInteraction && !isTimed {
            return try await writeOnce(writes, isTimed: true, deadline: deadline)
        }
        guard !isTimed, results.contains(where: { $0.status.status == .needsTimedInteraction }) else { return results }
        return try await writeOnce(writes, isTimed: true, deadline: deadline)
    }

    private func writeOnce(
        _ writes: [AttributeWrite], isTimed: Bool, deadline: Instant
    ) async throws -> [AttributeWriteResult] {
        var hasRepeated = false
        let transaction = WriteTransaction(writes, timeout: isTimed ? Self.timedTimeout : nil)
        let results = try await repeating(transaction, deadline: deadline, &hasRepeated)
        // Whether it was the write itself that changed the version, nobody can tell.
        guard hasRepeated, results.contains(where: { $0.status.status == .dataVersionMismatch }) else { return results }
        throw ControllerError(
            .outcomeUnknown,
            "the write was sent and may have been done, but no answer came; sent again, it met another data version",
            hint: "see what the attribute is before you repeat it")
    }

    // MARK: Commands

    /// Sends a command, timed if need be: the device may say so, and is then asked once more.
    package func invoke(
        _ command: Command, isTimed: Bool = false, _ repeatability: Repeatability, deadline: Instant
    ) async throws -> CommandResult {
        var transaction = InvokeTransaction([command], timeout: isTimed ? Self.timedTimeout : nil)
        var refusal: InteractionError?
        var results: [CommandResult] = []
        do {
            results = try await invoke(&transaction, repeatability, deadline: deadline)
        } catch let error as InteractionError where error.status == .needsTimedInteraction {
            refusal = error
        }
        if var timed = transaction.timedRetry(timeout: Self.timedTimeout) {
            results = try await invoke(&timed, repeatability, deadline: deadline)
        } else if let refusal {
            throw refusal
        }
        guard let result = results.first else {
            throw InteractionError(.protocolViolation, "an answer without a result")
        }
        return result
    }

    private func invoke(
        _ transaction: inout InvokeTransaction, _ repeatability: Repeatability, deadline: Instant
    ) async throws -> [CommandResult] {
        let fresh = transaction
        // Why nobody knows whether an earlier transmission of a repeatable command has run.
        var doubt: TransportError?
        while true {
            let session: SecureSession
            do {
                session = try await connect(deadline: deadline)
            } catch let error as SessionError {
                guard doubt != nil else { throw error }
                throw unknownOutcome(error)
            }
            let run = try await client(session).begin(deadline: deadline, processing: processing)
            transaction = fresh
            do {
                return try await run.playKeepingExchange(&transaction)
            } catch let error as TransportError where error.isLoss {
                // What could not even be sent, or was only announced, has not run.
                let mayHaveRun = transaction.mayHaveRun && error.code != .unreachable
                if mayHaveRun, repeatability == .atMostOnce {
                    guard error.code == .notAcknowledged else { throw unknownOutcome(error) }
                    let results = try await rescue(run, &transaction, from: session, deadline: deadline)
                    if let results { return results }
                } else {
                    await run.exchange.abandon()
                    if mayHaveRun { doubt = error }
                    guard Instant.now < deadline else { throw doubt.map { unknownOutcome($0) } ?? error }
                    if error.code != .noReply { await drop(session) }
                }
            }
        }
    }

    /// A command was sent and never acknowledged. A new session is set up while the identical datagram goes on being
    /// sent on the old one: a peer that has it acknowledges, and does it no second time. Only if the peer answers on
    /// the new session while the old one stays silent is the command sent anew.
    ///
    /// - Returns: `nil` if the command is known not to have run; the new session has taken the old one's place.
    private func rescue(
        _ run: InteractionRun, _ transaction: inout InvokeTransaction, from old: SecureSession, deadline: Instant
    ) async throws -> [CommandResult]? {
        logger.debug("the command was not acknowledged; setting up another session and repeating it on the old one")
        let (fate, replacement) = await fate(of: run, transaction, deadline: deadline)
        await run.exchange.abandon()
        switch fate {
        case .answered(let results, let played):
            await replacement?.close()
            transaction = played
            return results
        case .neverArrived:
            await drop(old)
            session = replacement
            return nil
        case .lost(let error):
            await replacement?.close()
            guard !(error is CancellationError) else { throw error }
            throw unknownOutcome(error)
        }
    }

    /// What became of a command whose transmissions were not acknowledged.
    private enum Fate: Sendable {
        case answered([CommandResult], InvokeTransaction)
        /// The peer answers on a new session and has nothing of the old one.
        case neverArrived
        /// Time is up, or the peer acknowledged and said no more.
        case lost(any Error)
    }

    private enum FateEvent: Sendable {
        case decided(Fate)
        case reconnected(SecureSession)
        case noSession(any Error)
        case silenceIsOver
    }

    private func fate(
        of run: InteractionRun, _ waiting: InvokeTransaction, deadline: Instant
    ) async -> (Fate, replacement: SecureSession?) {
        let link = self
        return await withTaskGroup(of: FateEvent.self) { group in
            group.addTask {
                do {
                    return .reconnected(try await link.newSession(deadline: deadline))
                } catch {
                    return .noSession(error)
                }
            }
            group.addTask { .decided(await link.repeatOnOldSession(run, waiting, deadline: deadline)) }
            var fate: Fate?
            var replacement: SecureSession?
            for await event in group {
                switch event {
                case .decided(.lost(let error)):
                    fate = fate ?? .lost(error)
                case .decided(let decided):
                    // An answer counts, however late.
                    fate = decided
                case .reconnected(let session):
                    replacement = session
                    // The peer is alive. If it still has the old session, it acknowledges one of these.
                    group.addTask {
                        try? await Task.sleep(for: Self.lastChance)
                        return .silenceIsOver
                    }
                case .noSession(let error):
                    logger.debug("no other session: \(error)")
                    // A peer that has forgotten our fabric will say nothing on the old session either.
                    if (error as? SessionError)?.isUnknownToPeer ?? false { fate = fate ?? .lost(error) }
                case .silenceIsOver:
                    guard await isSilent(run) else { break }
                    fate = fate ?? .neverArrived
                }
                if fate != nil { group.cancelAll() }
            }
            return (fate ?? .lost(CancellationError()), replacement)
        }
    }

    /// Whether nothing has come on the old session since the new one stands.
    private func isSilent(_ run: InteractionRun) async -> Bool {
        guard let report = await run.exchange.report(), !report.acknowledged else { return false }
        return report.lastHeard.map { $0 > Self.lastChance } ?? true
    }

    private nonisolated func repeatOnOldSession(
        _ run: InteractionRun, _ waiting: InvokeTransaction, deadline: Instant
    ) async -> Fate {
        var transaction = waiting
        while true {
            await run.exchange.resend()
            do {
                let results = try await run.resume(&transaction, until: min(deadline, .now + Self.resendPace))
                return .answered(results, transaction)
            } catch let error as TransportError where error.code == .notAcknowledged && Instant.now < deadline {
                continue
            } catch let error as TransportError where error.code == .noReply && Instant.now < deadline {
                // It has arrived: only the answer is missing.
                do {
                    let results = try await run.resume(&transaction, until: min(deadline, .now + processing))
                    return .answered(results, transaction)
                } catch {
                    return .lost(error)
                }
            } catch {
                return .lost(error)
            }
        }
    }

    private func unknownOutcome(_ error: any Error) -> ControllerError {
        let account =
            switch error {
            case let error as TransportError: error.report.map { ReportAccount($0).description }
            case let error as SessionError: SessionAccount(error).description
            default: nil as String?
            }
        return ControllerError(
            .outcomeUnknown,
            "the command was sent and may have run, but no answer came" + (account.map { " (\($0))" } ?? ""),
            hint: "see what state the device is in before you repeat it", underlying: error)
    }
}

extension NodeLink {
    /// What can still be learnt after a command whose fate is unknown; nothing if the node stays silent.
    package func stateAfterwards(
        _ paths: [AttributePath]
    ) async -> [(path: ConcreteAttributePath, value: TLVValue)] {
        let deadline = Instant.now + .seconds(3)
        guard let result = try? await read(paths, deadline: deadline) else { return [] }
        return result.attributes.compactMap { report in report.value.map { (report.path, $0) } }
    }

    /// The same for a command of any cluster: what the cluster's attributes count or say yes or no to. Texts, octets and
    /// lists may be long, or secret.
    package func stateAfterwards(
        endpoint: UInt16, cluster: UInt32
    ) async -> [(path: ConcreteAttributePath, value: TLVValue)] {
        await stateAfterwards([AttributePath(endpoint: endpoint, cluster: cluster)]).filter { entry in
            switch entry.value {
            case .int, .uint, .bool, .float, .double, .null: !AttributePath.isGlobal(attribute: entry.path.attribute)
            case .string, .octets, .structure, .array, .list: false
            }
        }
    }
}
