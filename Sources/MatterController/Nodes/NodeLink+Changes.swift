import Logging
import MatterErrors
package import MatterInteraction
import MatterSession
package import MatterTransport

/// Commands and writes: what may not happen twice.
extension NodeLink {
    /// True if doing something twice comes to the same as doing it once.
    package enum Repeatability: Sendable {
        /// It sets an absolute state; it may be repeated after silence.
        case absolute
        /// Once its datagram has left, it is never sent in another session.
        case atMostOnce
    }

    /// For timed interactions: the time the device waits for the request itself, milliseconds.
    private static let timedTimeout: UInt16 = 10_000

    // MARK: Writing

    /// Writes attributes, timed if need be.
    ///
    /// - Parameter repeatability: of the attributes; a write on a data version, and a list that takes several messages, run
    ///   at most once whatever it says.
    package func write(
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
    package func invoke(
        _ command: Command, isTimed: Bool = false, _ repeatability: Repeatability, work: Duration? = nil,
        deadline: Instant
    ) async throws -> CommandResult {
        let patience = [work, self.patience.afterAcknowledgement].compactMap { $0 }.max()
        let change = Change(noun: "command", repeatability: repeatability, patience: patience, deadline: deadline)
        var transaction = InvokeTransaction([command], timeout: isTimed ? Self.timedTimeout : nil)
        var refusal: InteractionError?
        var results: [CommandResult] = []
        do {
            results = try await self.change(&transaction, change)
        } catch let error as InteractionError where error.status == .needsTimedInteraction {
            refusal = error
        }
        if var timed = transaction.timedRetry(timeout: Self.timedTimeout) {
            results = try await self.change(&timed, change)
        } else if let refusal {
            throw refusal
        }
        guard let result = results.first, result.outcome != .status(StatusIB(.noCommandResponse)) else {
            throw unknownOutcome(
                of: change.noun, InteractionError(.protocolViolation, "the answer has no result for the command"))
        }
        return result
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
        let fresh = transaction
        // The reason why the fate of an earlier transmission of a repeatable change is unknown.
        var doubt: (any Error)?
        while true {
            let run: InteractionRun
            let session: SecureSession
            do {
                session = try await connect(deadline: change.deadline)
                try Task.checkCancellation()
                run = try await client(session).begin(
                    deadline: change.deadline, processing: change.processing(usual: patience.usual, now: .now))
            } catch let error as TransportError where error.code == .closed && Instant.now < change.deadline {
                continue
            } catch {
                throw doubt == nil ? error : unknownOutcome(of: change.noun, error)
            }
            var fate = RequestFate(
                sentAt: .now, delivery: await session.responseAllowance(processing: .zero), processing: run.processing,
                deadline: change.deadline)
            transaction = fresh
            do {
                return try await run.playKeepingExchange(&transaction)
            } catch {
                if (error as? InteractionError)?.code == .refused { throw error }
                let mayHaveRun = transaction.mayHaveRun(lastIsUnsent: (error as? TransportError)?.isUnsent ?? false)
                if mayHaveRun, change.repeatability == .atMostOnce {
                    return try await learn(&fate, of: run, &transaction, after: error, on: session, change.noun)
                }
                if mayHaveRun { doubt = error }
                try await prepareRepetition(of: run, after: error, on: session, change, isInDoubt: doubt != nil)
            }
        }
    }

    /// Waits for the answer to a request that left once, on the session that it left on.
    private func learn<Transaction: ChangeTransaction>(
        _ fate: inout RequestFate, of run: InteractionRun, _ transaction: inout Transaction, after failure: any Error,
        on session: SecureSession, _ noun: String
    ) async throws -> Transaction.Output {
        do {
            return try await run.persist(&transaction, after: failure, &fate) {
                logger.debug("the \(noun) was not acknowledged; sending the same datagram again")
            }
        } catch let error as InteractionError where error.code == .refused {
            throw error
        } catch {
            // A peer whose answer cannot be read has done with the request.
            if !(error is InteractionError) { await drop(session) }
            throw unknownOutcome(of: noun, error)
        }
    }

    /// Ends what came to nothing, so that it can be begun again; throws if it cannot.
    private func prepareRepetition(
        of run: InteractionRun, after error: any Error, on session: SecureSession, _ change: Change, isInDoubt: Bool
    ) async throws {
        await run.exchange.abandon()
        let loss = (error as? TransportError).flatMap { $0.isLoss ? $0 : nil }
        let isOver = loss == nil || Instant.now >= change.deadline
        // A peer that acknowledged has what was sent, and does it no second time.
        if loss.map({ $0.code != .noReply || isOver }) ?? (error is CancellationError && isInDoubt) {
            await drop(session)
        }
        guard isOver else {
            logger.debug("the \(change.noun) was not answered; sending it again")
            return
        }
        throw isInDoubt ? unknownOutcome(of: change.noun, error) : error
    }

    private func unknownOutcome(of noun: String, _ error: any Error) -> ControllerError {
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
        return ControllerError(
            .outcomeUnknown, "the \(noun) was sent and may have run, but \(why)",
            hint: "check the device's state before you repeat the command", underlying: error)
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
