package import Logging

/// Sets up a session with a peer: performs the actions of a ``ConnectionRace``.
package struct Connector: Sendable {
    /// Makes the initiator of a handshake for a local session id and what is known of the peer.
    package typealias MakeHandshake =
        @Sendable (_ localSessionID: UInt16, _ reliability: ReliabilityParameters) -> any Handshake

    let manager: ExchangeManager
    private let processing: Duration
    private let logger: Logger
    /// Sees all messages of the manager.
    package var observer: (any TrafficObserver)? { manager.observer }

    /// - Parameter processing: how long a peer may take over the first message of the first attempt; each further
    ///   attempt allows twice as much.
    package init(manager: ExchangeManager, processing: Duration = .seconds(5), logger: Logger) {
        self.manager = manager
        self.processing = processing
        self.logger = logger
    }

    /// The clock of everything that is set up here.
    package var time: any TimeSource { manager.time }

    /// A handshake under way.
    private struct Running: Sendable {
        let exchange: Exchange
        let localSessionID: UInt16
    }

    private enum Event: Sendable {
        case race(ConnectionRace.Event)
        case ended(Running, Result<EstablishedSession, any Error>, ExchangeReport?)
        case deadline
    }

    /// - Throws: ``SessionError``, `CancellationError`.
    package func connect(
        to target: PeerTarget, deadline: Instant, makeHandshake: @escaping MakeHandshake
    ) async throws -> SecureSession {
        let began = time.now
        let (events, send) = AsyncStream.makeStream(of: Event.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            var race = ConnectionRace(target: target, processing: processing)
            var running: Running?
            /// Performs what follows from an event of the race.
            func handle(_ event: ConnectionRace.Event) async throws {
                for action in race.handle(event, now: time.now) {
                    switch action {
                    case .attempt(let attempt):
                        let began = try await begin(attempt, target)
                        running = began
                        let machine = makeHandshake(began.localSessionID, attempt.reliability)
                        group.addTask {
                            send.yield(
                                await play(machine, began, attempt, deadline) { send.yield(.race(.objected($0))) })
                        }
                    case .add(let address):
                        if let running { await manager.addAddress(address, to: running.exchange.session) }
                    case .locate:
                        guard let locate = target.locate else { continue }
                        group.addTask {
                            do {
                                for try await location in locate() { send.yield(.race(.located(location))) }
                                send.yield(.race(.locatorEnded(nil)))
                            } catch {
                                send.yield(.race(.locatorEnded(error)))
                            }
                        }
                    case .wait(let pause, let event):
                        group.addTask {
                            try? await time.sleep(for: pause)
                            send.yield(.race(event))
                        }
                    case .tellBusy:
                        target.onBusy?()
                    case .fail(let error):
                        throw error
                    }
                }
            }
            do {
                try await handle(.began)
                group.addTask {
                    try? await time.sleep(until: deadline)
                    send.yield(.deadline)
                }
                for await event in events {
                    try Task.checkCancellation()
                    switch event {
                    case .race(let event):
                        log(event, target)
                        try await handle(event)
                    case .ended(let ended, .success(let established), _):
                        running = nil
                        return try await finish(ended, established, began: began)
                    case .ended(let ended, .failure(let error), let report):
                        running = nil
                        await abandon(ended, after: error)
                        logger.debug("\(target.phase.rawValue): an attempt failed: \(error)")
                        try await handle(.failed(error, report))
                    case .deadline:
                        try await handle(.timeUp(await running?.exchange.report()))
                    }
                }
                throw CancellationError()
            } catch {
                if let running { await abandon(running, after: nil) }
                throw error
            }
        }
    }

    private func log(_ event: ConnectionRace.Event, _ target: PeerTarget) {
        switch event {
        case .located(let location):
            logger.debug("\(target.phase.rawValue): found at \(location.address)")
        case .objected(let objection):
            logger.debug("\(target.phase.rawValue): ignored an answer from \(objection.address): \(objection.error)")
        default: break
        }
    }

    // MARK: Attempts

    private func begin(_ attempt: ConnectionRace.Attempt, _ target: PeerTarget) async throws -> Running {
        let session = try await manager.openUnsecuredSession(
            to: attempt.candidates, reliability: attempt.reliability, presumedActive: target.presumedActive,
            isJudged: true)
        let exchange = try await manager.openExchange(on: session)
        return Running(exchange: exchange, localSessionID: try await manager.reserveSessionID())
    }

    private func play(
        _ machine: any Handshake, _ running: Running, _ attempt: ConnectionRace.Attempt, _ deadline: Instant,
        objected: @escaping @Sendable (Objection) -> Void
    ) async -> Event {
        let run = HandshakeRun(
            exchange: running.exchange, patience: attempt.patience, experience: attempt.experience, deadline: deadline,
            objected: objected)
        let result: Result<EstablishedSession, any Error>
        do {
            result = .success(try await run.play(machine))
        } catch {
            result = .failure(error)
        }
        return .ended(running, result, await running.exchange.report())
    }

    private func abandon(_ attempt: Running, after error: (any Error)?) async {
        await manager.releaseSessionID(attempt.localSessionID)
        if error is Objections {
            // Our question about it may still be on its way.
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

    private func finish(
        _ attempt: Running, _ established: EstablishedSession, began: Instant
    ) async throws -> SecureSession {
        guard let address = await manager.address(of: attempt.exchange.session) else {
            await abandon(attempt, after: nil)
            throw TransportError(.closed, "the handshake ended without an address")
        }
        if let secrets = established.handshakeSecrets { observer?.agreed(on: secrets) }
        let reference = try await manager.install(SecureSessionParameters(established, address: address))
        await attempt.exchange.close()
        return SecureSession(
            manager: manager, reference: reference, established: established, address: address,
            setUpTime: time.now - began)
    }
}
