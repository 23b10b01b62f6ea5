import MatterNetwork

/// Finds the device that a setup code belongs to: every candidate that discovery names is tried with the passcode.
struct CommissionableSearch: Sendable {
    /// How long after the deadline the failure of the last candidate is waited for.
    private static let lastWord = Duration.milliseconds(500)

    /// - Parameter heard: called when the candidate says something.
    typealias Pair =
        @Sendable (_ target: PeerTarget, _ deadline: Instant, _ heard: @escaping @Sendable () -> Void) async throws
        -> SecureSession

    let time: any TimeSource
    let discovery: any Discovery
    let filter: CommissionableFilter
    let request: CommissioningRequest
    /// The end of the look-out for candidates; pairing may go on beyond it.
    let discoveryDeadline: Instant
    let deadline: Instant
    /// True if a device that says that it is closed is tried as long as there is time.
    var waitsForWindow = true
    /// Told once when the search waits for a device that says that it is closed.
    var waiting: @Sendable (_ label: String) -> Void = { _ in }
    let pair: Pair
    /// Told of the first device that matches.
    let located: @Sendable () -> Void

    private enum Event: Sendable {
        case board(CandidateBoard.Event)
        case paired(PairedDevice)
    }

    private typealias Locations = AsyncThrowingStream<PeerLocation, any Error>

    /// - Throws: ``CommissioningError``, ``SessionError``, ``DiscoveryError``, `CancellationError`.
    func run() async throws -> PairedDevice {
        let (events, send) = AsyncStream.makeStream(of: Event.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            var board = CandidateBoard(deadline: deadline, waitsForWindow: waitsForWindow)
            /// The further addresses of the candidates that are being tried.
            var locations: [String: Locations.Continuation] = [:]
            group.addTask { await browse(send) }
            group.addTask {
                try? await time.sleep(until: discoveryDeadline)
                send.yield(.board(.lookoutEnded))
            }
            group.addTask {
                // A candidate that was tried until the end says a moment later what became of it.
                try? await time.sleep(until: deadline + Self.lastWord)
                send.yield(.board(.timeUp))
            }
            for await event in events {
                try Task.checkCancellation()
                let boardEvent: CandidateBoard.Event
                switch event {
                case .board(let event): boardEvent = event
                case .paired(let device): return device
                }
                for action in board.handle(boardEvent, now: time.now) {
                    switch action {
                    case .sayLocated: located()
                    case .sayWaiting(let label): waiting(label)
                    case .pair(let turn):
                        let (stream, continuation) = Locations.makeStream()
                        for address in turn.addresses.dropFirst() { continuation.yield(PeerLocation(address: address)) }
                        locations[turn.instance] = continuation
                        group.addTask {
                            send.yield(await play(turn, stream) { send.yield(.board(.heard(turn.instance))) })
                        }
                    case .add(let location, let instance): locations[instance]?.yield(location)
                    case .endLocations(let instance): locations.removeValue(forKey: instance)?.finish()
                    case .wait(let pause, let event):
                        group.addTask {
                            try? await time.sleep(for: pause)
                            send.yield(.board(event))
                        }
                    case .failUnfound:
                        if case .lookoutEnded = boardEvent { try discovery.checkNetwork() }
                        throw nothingFound()
                    case .fail(let error): throw error
                    }
                }
            }
            throw CancellationError()
        }
    }

    /// Plays a candidate's turn.
    private func play(
        _ turn: CandidateBoard.Turn, _ further: Locations, heard: @escaping @Sendable () -> Void
    ) async -> Event {
        let target = PeerTarget(
            phase: .pase, hints: Array(turn.addresses.prefix(1)), reliability: turn.reliability, presumedActive: true,
            locate: { further })
        do {
            return .paired(
                PairedDevice(session: try await pair(target, turn.end, heard), advertised: turn.advertised))
        } catch {
            return .board(.failed(turn.instance, error))
        }
    }

    private func browse(_ send: AsyncStream<Event>.Continuation) async {
        do {
            for try await event in discovery.browseCommissionable(filter) {
                if case .found(let device) = event, request.agrees(with: device) { send.yield(.board(.found(device))) }
            }
        } catch {
            send.yield(.board(.browseFailed(error)))
        }
    }

    private func nothingFound() -> CommissioningError {
        var hint = Hint.step("discover.nothing-found")
        if let capabilities = request.capabilities, !capabilities.contains(.onNetwork) {
            hint =
                capabilities.contains(.ble) && request.via == .ip
                ? .step("discover.needs-bluetooth")
                : .step("discover.other-transport", capabilities.names.joined(separator: ", "))
        }
        return CommissioningError(
            .nothingDiscovered, stage: .discover, "no device \(request.sought) answered on this network", hint: hint)
    }
}
