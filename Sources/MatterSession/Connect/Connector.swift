package import Logging
package import MatterSecureChannel
package import MatterTransport

/// Sets up a session with a peer: all of its addresses raced, handshakes repeated within the budget.
///
/// Every address gets the *same* datagrams, so that a peer that is reached twice sees a duplicate, not a second
/// handshake; the first with an answer that leads on is the one. A refusal speaks for its address only.
package struct Connector: Sendable {
    /// Makes the initiator of a handshake for a local session id and what is known of the peer.
    package typealias MakeHandshake =
        @Sendable (_ localSessionID: UInt16, _ reliability: ReliabilityParameters) -> any Handshake

    /// How long further addresses wait for the first one to answer.
    private static let stagger = Duration.milliseconds(150)
    /// How long a better answer may take than a refusal, from the same address, from another one, or from one that
    /// discovery has yet to name.
    private static let grace = Duration.seconds(2)
    /// The time for a peer that sleeps.
    private static let longestGrace = Duration.seconds(10)

    /// How long a peer that is in the middle of a handshake may compute: a device takes part in one PASE at a time, and
    /// every failed one counts against its window. CASE is restarted sooner, within the patience of a command.
    private static func laterProcessing(_ target: PeerTarget) -> Duration {
        target.phase == "pase" ? .seconds(30) : .seconds(10)
    }

    let manager: ExchangeManager
    private let processing: Duration
    private let logger: Logger

    /// - Parameter processing: how long a peer may take over the first message of the first attempt; each further
    ///   attempt allows twice as much.
    package init(manager: ExchangeManager, processing: Duration = .seconds(5), logger: Logger) {
        self.manager = manager
        self.processing = processing
        self.logger = logger
    }

    private enum Event: Sendable {
        case located(PeerLocation)
        case addAfterStagger(PeerAddress)
        case locatorEnded((any Error)?)
        /// The attempt goes on, but an answer has refused it.
        case objected(Objection)
        case attemptEnded(ConnectionAttempt, Result<EstablishedSession, any Error>, ExchangeReport?)
        case retry
        case deadline
    }

    /// - Throws: ``SessionError``, `CancellationError`.
    package func connect(
        to target: PeerTarget, deadline: Instant, makeHandshake: @escaping MakeHandshake
    ) async throws -> SecureSession {
        let (events, send) = AsyncStream.makeStream(of: Event.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            var race = ConnectionRace(target: target)
            // First of all events, so that a look-up that fails at once does not end a race that has not begun.
            if !race.addresses.isEmpty { retry(&race, send) }
            if let locate = target.locate {
                group.addTask {
                    do {
                        for try await location in locate() { send.yield(.located(location)) }
                        send.yield(.locatorEnded(nil))
                    } catch {
                        send.yield(.locatorEnded(error))
                    }
                }
            }
            group.addTask {
                try? await Task.sleep(until: deadline, clock: .continuous)
                send.yield(.deadline)
            }
            do {
                for await event in events {
                    try Task.checkCancellation()
                    let session = try await handle(
                        event, &race, &group, send, deadline: deadline, makeHandshake: makeHandshake)
                    if let session { return session }
                }
                throw CancellationError()
            } catch {
                if let attempt = race.attempt { await abandon(attempt, after: nil) }
                throw error
            }
        }
    }

    /// - Returns: the session, once there is one.
    private func handle(
        _ event: Event, _ race: inout ConnectionRace, _ group: inout ThrowingTaskGroup<Void, any Error>,
        _ send: AsyncStream<Event>.Continuation, deadline: Instant, makeHandshake: @escaping MakeHandshake
    ) async throws -> SecureSession? {
        let phase = race.target.phase
        switch event {
        case .located(let location):
            race.reliability = location.reliability ?? race.reliability
            guard race.add(location.address) else { break }
            logger.debug("\(phase): found at \(location.address)")
            if race.attempt != nil {
                group.addTask {
                    try? await Task.sleep(for: Self.stagger)
                    send.yield(.addAfterStagger(location.address))
                }
            } else if !race.isPausing {
                retry(&race, send)
            }
        case .addAfterStagger(let address):
            if let attempt = race.attempt { await manager.addAddress(address, to: attempt.exchange.session) }
        case .locatorEnded(let error):
            race.locatorEnded = true
            race.failure.discoveryFailure = error
            if race.attempt == nil, !race.isPausing {
                if race.failure.attempts == 0, let error { throw error }
                throw race.finalError()
            }
        case .objected(let objection):
            logger.debug("\(phase): ignored an answer from \(objection.address): \(objection.error)")
            if objection.error.code == .busy { race.target.onBusy?() }
            race.note(objection)
        case .retry:
            race.isPausing = false
            try await startAttempt(&race, &group, send, deadline: deadline, makeHandshake: makeHandshake)
        case .attemptEnded(let attempt, .success(let established), _):
            race.attempt = nil
            return try await finish(attempt, established)
        case .attemptEnded(let attempt, .failure(let error), let report):
            race.attempt = nil
            await abandon(attempt, after: error)
            logger.debug("\(phase): attempt \(race.failure.attempts) failed: \(error)")
            let pause = try race.note(error, report: report)
            race.isPausing = true
            group.addTask {
                try? await Task.sleep(for: pause)
                send.yield(.retry)
            }
        case .deadline:
            if let attempt = race.attempt { race.noteReport(await attempt.exchange.report()) }
            throw race.finalError()
        }
        return nil
    }

    private func retry(_ race: inout ConnectionRace, _ send: AsyncStream<Event>.Continuation) {
        race.isPausing = true
        send.yield(.retry)
    }

    private func startAttempt(
        _ race: inout ConnectionRace, _ group: inout ThrowingTaskGroup<Void, any Error>,
        _ send: AsyncStream<Event>.Continuation, deadline: Instant, makeHandshake: MakeHandshake
    ) async throws {
        race.failure.attempts += 1
        let attempt = try await begin(race)
        race.attempt = attempt
        let processing = processing * (1 << min(race.failure.attempts - 1, 4))
        let grace = min(max(Self.grace, race.reliability.idleInterval * 2), Self.longestGrace)
        let run = HandshakeRun(
            exchange: attempt.exchange,
            patience: .init(
                processing: processing, laterProcessing: max(processing, Self.laterProcessing(race.target)),
                grace: grace),
            experience: race.experience, deadline: deadline, objected: { send.yield(.objected($0)) })
        let machine = makeHandshake(attempt.localSessionID, race.reliability)
        group.addTask {
            let result: Result<EstablishedSession, any Error>
            do {
                result = .success(try await run.play(machine))
            } catch {
                result = .failure(error)
            }
            send.yield(.attemptEnded(attempt, result, await run.exchange.report()))
        }
    }

    private func begin(_ race: ConnectionRace) async throws -> ConnectionAttempt {
        let session = try await manager.openUnsecuredSession(
            to: race.candidates, reliability: race.reliability, presumedActive: race.target.presumedActive,
            isJudged: true)
        let exchange = try await manager.openExchange(on: session)
        return ConnectionAttempt(exchange: exchange, localSessionID: try await manager.reserveSessionID())
    }

    private func abandon(_ attempt: ConnectionAttempt, after error: (any Error)?) async {
        await manager.releaseSessionID(attempt.localSessionID)
        if error is Objections {
            // What we think of it may still be on its way.
            await attempt.exchange.close()
        } else if let report = await attempt.exchange.report(), report.acknowledged || report.lastHeard != nil {
            // A device that waits for our next message would be busy for a minute.
            await attempt.exchange.hangUp(
                StatusReport.invalidParameter.encoded(), opcode: SecureChannelOpcode.statusReport.rawValue,
                protocolID: .secureChannel)
        } else {
            await attempt.exchange.abandon()
        }
    }

    private func finish(_ attempt: ConnectionAttempt, _ established: EstablishedSession) async throws -> SecureSession {
        guard let address = await manager.address(of: attempt.exchange.session) else {
            await abandon(attempt, after: nil)
            throw TransportError(.closed, "the handshake ended without an address")
        }
        let reference = try await manager.install(SecureSessionParameters(established, address: address))
        await attempt.exchange.close()
        return SecureSession(manager: manager, reference: reference, established: established, address: address)
    }
}
