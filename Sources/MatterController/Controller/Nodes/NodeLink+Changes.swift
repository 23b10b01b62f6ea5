import Logging
public import MatterNetwork

/// Commands and writes: what may not happen twice.
extension NodeLink {
    /// True if doing something twice comes to the same as doing it once.
    public enum Repeatability: Sendable {
        /// It sets an absolute state; it may be repeated after silence.
        case absolute
        /// Once its datagram has left, it is never sent in another session.
        case atMostOnce
    }

    /// For timed interactions: the time the device waits for the request itself, milliseconds.
    public static let timedTimeout: UInt16 = 10_000

    // MARK: Writing

    /// Writes attributes, timed if need be.
    ///
    /// - Parameter repeatability: of the attributes; a write on a data version, and a list that takes several messages, run
    ///   at most once whatever it says.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func write(
        _ writes: [AttributeWrite], isTimed: Bool, _ repeatability: Repeatability = .absolute, deadline: Instant
    ) async throws -> [AttributeWriteResult] {
        func perform(_ transaction: inout WriteTransaction) async throws -> [AttributeWriteResult] {
            try await change(
                &transaction,
                Change(
                    noun: "write",
                    repeatability: transaction.isAbsolute(maxPayload: link.largestPayload)
                        ? repeatability : .atMostOnce,
                    patience: patience.afterAcknowledgement, deadline: deadline))
        }
        var transaction = WriteTransaction(writes, timeout: isTimed ? Self.timedTimeout : nil)
        var refusal: InteractionError?
        var results: [AttributeWriteResult] = []
        do {
            results = try await perform(&transaction)
        } catch let error as InteractionError where error.status == .needsTimedInteraction {
            refusal = error
        }
        if var timed = transaction.timedRetry(timeout: Self.timedTimeout) {
            let later = try await perform(&timed)
            return refusal == nil ? results.replaced(by: later) : later
        }
        if let refusal { throw refusal }
        return results
    }

    // MARK: Commands

    /// Sends a command, timed if need be: the device may say so, and is then asked once more.
    ///
    /// - Parameter work: how long this command is known to take some devices.
    /// - Throws: ``ControllerError`` with `outcomeUnknown` if it may have run and no answer came that says so, also when the
    ///   waiting was interrupted; the error underneath tells.
    public func invoke(
        _ command: Command, isTimed: Bool = false, _ repeatability: Repeatability, work: Duration? = nil,
        deadline: Instant
    ) async throws -> CommandResult {
        let results = try await invoke(
            batch: [command], isTimed: isTimed, repeatability, work: work, deadline: deadline)
        guard let result = results.first else { throw InteractionError(.protocolViolation, "no result") }
        return result
    }

    /// The commands in as few requests as the device takes them in, in order.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func batches(of commands: [Command], deadline: Instant) async throws -> [[Command]] {
        let session = try await connect(deadline: deadline)
        return InvokeTransaction.batches(
            of: commands, maxPathsPerInvoke: Int(session.established.peerParameters.maxPathsPerInvoke),
            maxPayload: link.largestPayload)
    }

    /// Sends commands in one request.
    ///
    /// - Parameters:
    ///   - batch: one of ``batches(of:deadline:)``.
    ///   - repeatability: of all of them.
    /// - Returns: a result for each command, in order; `NO_COMMAND_RESPONSE` for one that the device passed over.
    /// - Throws: as ``invoke(_:isTimed:_:work:deadline:)``.
    public func invoke(
        batch: [Command], isTimed: Bool, _ repeatability: Repeatability, work: Duration? = nil, deadline: Instant
    ) async throws -> [CommandResult] {
        let patience = [work, self.patience.afterAcknowledgement].compactMap { $0 }.max()
        let change = Change(noun: "command", repeatability: repeatability, patience: patience, deadline: deadline)
        var transaction = InvokeTransaction(
            batch, timeout: isTimed ? Self.timedTimeout : nil, maxPathsPerInvoke: batch.count)
        var refusal: InteractionError?
        var results: [CommandResult] = []
        do {
            results = try await self.change(&transaction, change)
        } catch let error as InteractionError where error.status == .needsTimedInteraction {
            refusal = error
        }
        if var timed = transaction.timedRetry(timeout: Self.timedTimeout) {
            let later = try await self.change(&timed, change)
            results = refusal == nil ? results.replaced(by: later) : later
        } else if let refusal {
            throw refusal
        }
        guard results.contains(where: { $0.outcome != .status(StatusIB(.noCommandResponse)) }) else {
            throw unknownOutcome(
                of: change, InteractionError(.protocolViolation, "the answer has no result for the command"))
        }
        return results
    }

    // MARK: Both

    /// The name of a change, and its rules.
    private struct Change {
        let noun: String
        let repeatability: Repeatability
        let patience: Duration?
        let deadline: Instant

        /// How long the peer may work once it has acknowledged: a change that may be repeated leaves time for that.
        func processing(usual: Duration, now: Instant) -> Duration {
            guard let patience else { return usual }
            let left = repeatability == .absolute ? (deadline - now) / 2 : deadline - now
            return max(usual, min(patience, left))
        }
    }

    private func change<Transaction: ChangeTransaction>(
        _ transaction: inout Transaction, _ change: Change
    ) async throws -> Transaction.Output {
        beginWait(until: change.deadline)
        defer { endWait() }
        let fresh = transaction
        var announced: Transaction?
        var fate = CommandFate(change.repeatability.rule, deadline: change.deadline)
        var place: (session: SecureSession, run: InteractionRun)?
        var risky: SecureSession?
        defer { if let risky { settle(risky) } }
        var actions = fate.handle(.began, now: time.now)
        while let action = actions.first {
            actions.removeFirst()
            switch action {
            case .connect:
                if let place {
                    logger.debug("the \(change.noun) was not answered; sending it again")
                    await leaveIfUnanswered(place.session)
                }
                do {
                    let (session, run) = try await begin(change)
                    if let session = risky { settle(session) }
                    risky = nil
                    place = (session, run)
                    announced = nil
                    if change.repeatability == .atMostOnce { announced = await announcement(of: fresh, on: session) }
                    let delivery = await session.responseAllowance(processing: .zero)
                    actions = fate.handle(
                        .connected(delivery: delivery, processing: run.processing), now: time.now)
                } catch {
                    actions = fate.handle(.notConnected(error), now: time.now)
                }
            case .send, .resend, .wait:
                if case .send = action {
                    transaction = announced ?? fresh
                    if change.repeatability == .atMostOnce, announced == nil, risky == nil, let place {
                        risky = place.session
                        risk(place.session)
                    }
                }
                if case .resend = action {
                    logger.debug("the \(change.noun) was not acknowledged; sending the same datagram again")
                }
                do {
                    if let output = try await place?.run.perform(action, &transaction) {
                        if let place { await prove(place.session) }
                        return output
                    }
                } catch {
                    if let place { await judge(place.session, by: error) }
                    if announced != nil, error is InteractionError, !transaction.mayHaveRun() {
                        // The device is there, and does not take commands in two steps.
                        announced = nil
                        actions = [.connect]
                        continue
                    }
                    if let session = place?.session {
                        switch await succession(of: session) {
                        case nil: break
                        case .searching, .unproven: _ = fate.handle(.superseded, now: time.now)
                        case .disproved:
                            actions = fate.handle(.disproved(error), now: time.now)
                            continue
                        }
                    }
                    let isUnsent = (error as? TransportError)?.isUnsent ?? false
                    actions = fate.handle(
                        .failed(error, mayHaveRun: transaction.mayHaveRun(lastIsUnsent: isUnsent)), now: time.now)
                }
            case .abandon:
                await place?.run.exchange.abandon()
            case .drop:
                if let place { await drop(place.session) }
            case .fail(let error):
                throw error
            case .unknownOutcome(let error):
                throw unknownOutcome(of: change, error)
            }
        }
        throw CancellationError()
    }

    /// A command that may run once only goes out at once on a session on which the device was heard just now. On an older
    /// one it is announced first, which is harmless: the answer proves the session alive, and a copy of the command that
    /// is late is refused.
    private func announcement<Transaction: ChangeTransaction>(
        of transaction: Transaction, on session: SecureSession
    ) async -> Transaction? {
        guard await isStale(session) else { return nil }
        return transaction.timed(timeout: Self.timedTimeout)
    }

    /// A session, and an exchange on it.
    private func begin(_ change: Change) async throws -> (SecureSession, InteractionRun) {
        let session = try await connect(deadline: change.deadline)
        try Task.checkCancellation()
        var processing = change.processing(usual: patience.usual, now: time.now)
        // A command that is announced first may be repeated as well.
        let isStale = await isStale(session)
        if change.repeatability == .absolute || isStale {
            processing = patience(on: session, usual: processing)
        }
        return (session, try await client(session).begin(deadline: change.deadline, processing: processing))
    }

    private func unknownOutcome(of change: Change, _ error: any Error) -> ControllerError {
        Self.unknownOutcome(of: change.noun, harmlessAt: change.repeatability == .absolute ? node.title : nil, error)
    }

    /// Of a change that was sent, and that nothing was heard of.
    ///
    /// - Parameter title: the node in messages, if the change may be repeated.
    static func unknownOutcome(
        of noun: String, harmlessAt title: String? = nil, _ error: any Error
    ) -> ControllerError {
        let why: String
        switch error {
        case let error as TransportError:
            why = "no answer came" + (error.report.map { " (\(ReportAccount($0)))" } ?? "")
        case let error as SessionError:
            why = "no answer came (\(SessionAccount(error)))"
        case is CancellationError:
            why = "the wait for its answer was interrupted"
        case let error as InteractionError:
            why = "its answer cannot be decoded: \(error.reason)"
        default:
            why = "no answer came"
        }
        guard let title else {
            return ControllerError(
                .outcomeUnknown, "the \(noun) was sent and may have run, but \(why)",
                hint: "check the device's state before you repeat the command", underlying: error)
        }
        // It only matters that the device is not there.
        let isSilent = error is TransportError || error is SessionError
        return ControllerError(
            .outcomeUnknown,
            isSilent
                ? "\(title) does not answer: the \(noun) was sent, but \(why)"
                : "the \(noun) was sent and may have run, but \(why)",
            hint: .step("command.repeat-harmless"), underlying: error)
    }
}

extension NodeLink.Repeatability {
    fileprivate var rule: CommandFate.Rule {
        switch self {
        case .absolute: .absolute
        case .atMostOnce: .atMostOnce
        }
    }
}

extension TransportError {
    /// True if the last request of the exchange is known not to have left this host.
    fileprivate var isUnsent: Bool {
        switch code {
        case .unreachable, .socket, .messageTooLarge, .counterExhausted: true
        default: report?.isUnsent ?? false
        }
    }
}
