import MatterDiscovery
import MatterErrors
import MatterSecureChannel
import MatterSession
import MatterSetupPayload
import MatterTransport

/// Finds the device that a setup code belongs to: every candidate that discovery names is tried with the passcode.
struct CommissionableSearch: Sendable {
    /// How long to wait before a device is asked again that is advertised as open and says that it is closed: its
    /// commissioning may have been cut short, and it opens again by itself.
    private static let reopening = Duration.seconds(3)
    /// How long to look for further candidates after all so far have refused the passcode.
    private static let grace = Duration.seconds(3)
    /// How long after the deadline the failure of the last candidate is waited for.
    private static let lastWord = Duration.milliseconds(500)

    /// - Parameter heard: called when the candidate says something.
    typealias Pair =
        @Sendable (_ target: PeerTarget, _ deadline: Instant, _ heard: @escaping @Sendable () -> Void) async throws
        -> SecureSession

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
    let located: @Sendable (CommissionableDevice) -> Void

    private enum Event: Sendable {
        case found(CommissionableDevice)
        case browseFailed(any Error)
        case heard(String)
        case patienceIsOver(String, turn: Int)
        case paired(String, Result<SecureSession, any Error>)
        case discoveryTimeUp
        case graceTimeUp
        case reopened(String)
        case timeUp
    }

    /// - Throws: ``CommissioningError``, ``SessionError``, ``DiscoveryError``, `CancellationError`.
    func run() async throws -> SecureSession {
        let (events, send) = AsyncStream.makeStream(of: Event.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { await browse(send) }
            group.addTask {
                try? await Task.sleep(until: discoveryDeadline, clock: .continuous)
                send.yield(.discoveryTimeUp)
            }
            group.addTask {
                // A candidate that was tried until the end says a moment later what became of it.
                try? await Task.sleep(until: deadline + Self.lastWord, clock: .continuous)
                send.yield(.timeUp)
            }
            var board = CandidateBoard(waitsForWindow: waitsForWindow)
            var isWaiting = false
            func waitForGrace() {
                group.addTask {
                    try? await Task.sleep(for: Self.grace)
                    send.yield(.graceTimeUp)
                }
            }
            for await event in events {
                try Task.checkCancellation()
                switch event {
                case .found(let device):
                    guard isWanted(device) else { continue }
                    if board.isEmpty { located(device) }
                    board.note(device)
                case .browseFailed(let error):
                    guard !board.isEmpty else { throw error }
                case .heard(let instance):
                    board.noteSpeech(of: instance)
                case .patienceIsOver(let instance, let turn):
                    board.noteSilence(of: instance, turn: turn)
                    if board.isHopeless { waitForGrace() }
                case .paired(_, .success(let session)):
                    return session
                case .paired(let instance, .failure(let error)):
                    try board.noteFailure(of: instance, error)
                    if board.isHopeless { waitForGrace() }
                    if let label = board.closed(instance) {
                        if !isWaiting { waiting(label) }
                        isWaiting = true
                        group.addTask {
                            try? await Task.sleep(for: Self.reopening)
                            send.yield(.reopened(instance))
                        }
                    }
                case .reopened(let instance):
                    board.reopen(instance)
                case .discoveryTimeUp:
                    guard board.isEmpty else { break }
                    try discovery.checkNetwork()
                    throw nothingFound()
                case .graceTimeUp:
                    if board.isHopeless { throw board.refusal() }
                case .timeUp:
                    throw board.failure() ?? nothingFound()
                }
                guard Instant.now < deadline else {
                    if let failure = board.failure() { throw failure }
                    continue
                }
                guard let candidate = board.startNext() else { continue }
                let limit = min(deadline, .now + candidate.slice)
                group.addTask {
                    try? await Task.sleep(for: candidate.patience)
                    send.yield(.patienceIsOver(candidate.instance, turn: candidate.turn))
                }
                group.addTask {
                    let result: Result<SecureSession, any Error>
                    do {
                        let instance = candidate.instance
                        result = .success(
                            try await pair(candidate.target, limit) { send.yield(.heard(instance)) })
                    } catch {
                        result = .failure(error)
                    }
                    send.yield(.paired(candidate.instance, result))
                }
            }
            throw CancellationError()
        }
    }

    private func browse(_ send: AsyncStream<Event>.Continuation) async {
        do {
            for try await event in discovery.browseCommissionable(filter) {
                if case .found(let device) = event { send.yield(.found(device)) }
            }
        } catch {
            send.yield(.browseFailed(error))
        }
    }

    /// The code may say which product it belongs to; a device that says otherwise is another one.
    private func isWanted(_ device: CommissionableDevice) -> Bool {
        func agrees(_ wanted: UInt16?, _ advertised: UInt16?) -> Bool {
            guard let wanted, wanted != 0, let advertised else { return true }
            return wanted == advertised
        }
        return agrees(request.vendorID, device.record.vendorID) && agrees(request.productID, device.record.productID)
    }

    private func nothingFound() -> CommissioningError {
        let what =
            switch filter {
            case .longDiscriminator(let value): "with discriminator \(value)"
            case .shortDiscriminator(let value): "with short discriminator \(value)"
            default: "that is open for commissioning"
            }
        var hint = Hint.step("discover.nothing-found")
        if let capabilities = request.capabilities, !capabilities.contains(.onNetwork) {
            hint = .step("discover.other-transport", capabilities.names.joined(separator: ", "))
        }
        return CommissioningError(
            .nothingDiscovered, stage: .discover, "no device \(what) answered on this network", hint: hint)
    }
}
