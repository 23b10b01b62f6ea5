import MatterDiscovery
import MatterSecureChannel
import MatterSession
import MatterSetupPayload
import MatterTransport

/// Finds the device that a setup code belongs to: every candidate that discovery names is tried with the passcode.
struct CommissionableSearch: Sendable {
    /// How long one candidate is tried before the others have another turn.
    private static let slice = Duration.seconds(20)
    /// How long one that says nothing keeps the next one waiting: records outlive their devices. Once it has spoken, it
    /// has its slice to itself, so that no two devices are asked for the passcode at once. One that sleeps gets longer.
    fileprivate static let patience = Duration.seconds(3)
    /// How long to look for further candidates after all so far have refused the passcode.
    private static let grace = Duration.seconds(3)

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
            var board = CandidateBoard()
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
                case .discoveryTimeUp:
                    guard board.isEmpty else { break }
                    try discovery.checkNetwork()
                    throw nothingFound()
                case .graceTimeUp:
                    if board.isHopeless { throw board.refusal() }
                }
                if Instant.now >= deadline { throw board.failure() ?? nothingFound() }
                guard let candidate = board.startNext() else { continue }
                let limit = min(deadline, .now + Self.slice)
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
        var hint =
            "put the device into pairing mode and on this network (see 'matterctl discover'), or name its address with "
            + "--address HOST:PORT"
        if let capabilities = request.capabilities, !capabilities.contains(.onNetwork) {
            hint =
                "this code is for a new device that is paired over \(capabilities.names.joined(separator: ", ")), which "
                + "matterctl does not speak: add it with the app that came with it, then share it from there (in most apps: "
                + "device settings, 'Matter' or 'linked services', 'pairing code') and use the code that the app shows"
        }
        return CommissioningError(
            .nothingDiscovered, stage: .discover, "no device \(what) answered on this network", hint: hint)
    }
}

/// The candidates of a search and what came of them.
private struct CandidateBoard {
    private enum State {
        case untried, trying, silent
        case refused(SecureChannelError)
    }

    /// Whether a candidate that is being tried keeps the others waiting.
    private enum Voice { case awaited, absent, heard }

    private struct Candidate {
        var state = State.untried
        var voice = Voice.awaited
        /// How often it was tried.
        var turns = 0
        var wasSilent = false
        var label: String
        var parameters: ReliabilityParameters
        var addresses: [PeerAddress]
        var locations: AsyncThrowingStream<PeerLocation, any Error>.Continuation?
    }

    private var candidates: [String: Candidate] = [:]
    /// In the order in which they are to be tried.
    private var queue: [String] = []
    private var lastFailure: SessionError?

    var isEmpty: Bool { candidates.isEmpty }

    /// Takes note of a device, or of new addresses of one that is known.
    mutating func note(_ device: CommissionableDevice) {
        let addresses = device.addresses.compactMap { PeerAddress($0) }
        let reliability = ReliabilityParameters(device.record.parameters)
        guard var known = candidates[device.instance] else {
            candidates[device.instance] = Candidate(
                label: addresses.first?.description ?? device.host, parameters: reliability, addresses: addresses)
            queue.append(device.instance)
            return
        }
        for address in addresses where !known.addresses.contains(address) {
            known.addresses.append(address)
            known.locations?.yield(PeerLocation(address: address, reliability: reliability))
        }
        candidates[device.instance] = known
    }

    /// The next candidate, unless one is being tried that speaks or may yet do so.
    mutating func startNext() -> (instance: String, turn: Int, patience: Duration, target: PeerTarget)? {
        let isOccupied = candidates.values.contains {
            if case .trying = $0.state { $0.voice != .absent } else { false }
        }
        guard !isOccupied else { return nil }
        guard let position = queue.firstIndex(where: { isOpen($0) }) else { return nil }
        let instance = queue.remove(at: position)
        queue.append(instance)
        guard var candidate = candidates[instance] else { return nil }
        let (stream, continuation) = AsyncThrowingStream<PeerLocation, any Error>.makeStream()
        for address in candidate.addresses.dropFirst() { continuation.yield(PeerLocation(address: address)) }
        candidate.state = .trying
        candidate.voice = .awaited
        candidate.turns += 1
        candidate.locations = continuation
        candidates[instance] = candidate
        let target = PeerTarget(
            phase: "pase", hints: Array(candidate.addresses.prefix(1)), reliability: candidate.parameters,
            presumedActive: true, locate: { stream })
        let patience = max(CommissionableSearch.patience, candidate.parameters.idleInterval * 2)
        return (instance, candidate.turns, patience, target)
    }

    mutating func noteSpeech(of instance: String) {
        candidates[instance]?.voice = .heard
        candidates[instance]?.wasSilent = false
    }

    /// A candidate has had its time to say something.
    mutating func noteSilence(of instance: String, turn: Int) {
        guard let candidate = candidates[instance], candidate.turns == turn, candidate.voice == .awaited,
            case .trying = candidate.state
        else { return }
        candidates[instance]?.voice = .absent
        candidates[instance]?.wasSilent = true
    }

    private func isOpen(_ instance: String) -> Bool {
        switch candidates[instance]?.state {
        case .untried, .silent: true
        default: false
        }
    }

    /// - Throws: whatever is not a matter of this one candidate.
    mutating func noteFailure(of instance: String, _ error: any Error) throws {
        candidates[instance]?.locations?.finish()
        candidates[instance]?.locations = nil
        guard let failure = error as? SessionError else { throw error }
        if let refusal = failure.refusal, failure.code == .refused {
            candidates[instance]?.state = .refused(refusal)
        } else {
            lastFailure = failure
            candidates[instance]?.state = .silent
            // One that is busy is there.
            if failure.code != .busy { candidates[instance]?.wasSilent = true }
        }
    }

    /// Whether no candidate is left that might want us: some have refused, and the others had their turn and were
    /// silent, as those are whose records outlive them.
    var isHopeless: Bool {
        var hasRefusal = false
        for candidate in candidates.values {
            switch candidate.state {
            case .untried: return false
            case .refused: hasRefusal = true
            case .trying, .silent: guard candidate.wasSilent else { return false }
            }
        }
        return hasRefusal
    }

    /// Why no candidate came to anything within the time: what the last one said counts more than silence.
    func failure() -> (any Error)? {
        let hasRefusal = candidates.values.contains { if case .refused = $0.state { true } else { false } }
        return hasRefusal ? refusal() : lastFailure
    }

    /// Why no candidate will do, with all that were tried.
    func refusal() -> CommissioningError {
        let refusals = candidates.values.compactMap { candidate -> (label: String, error: SecureChannelError)? in
            if case .refused(let error) = candidate.state { (candidate.label, error) } else { nil }
        }.sorted { $0.label < $1.label }
        // One device may have several records: those of windows that are over.
        var labels: [String] = []
        for refusal in refusals where !labels.contains(refusal.label) { labels.append(refusal.label) }
        let tried = labels.joined(separator: ", ")
        return PASEFailure.error(refusals.map(\.error), tried: tried)
    }
}

/// Turns refusals of PASE into words.
enum PASEFailure {
    static func error(_ refusals: [SecureChannelError], tried: String) -> CommissioningError {
        if let closed = refusals.first(where: { $0.code == .windowClosed }),
            refusals.allSatisfy({ $0.code == .windowClosed })
        {
            return CommissioningError(
                .windowClosed, stage: .pase, "the device at \(tried) takes no new administrators now",
                hint:
                    "open its commissioning window: power-cycle a new device, or share it from the app that has it; one "
                    + "whose commissioning was cut short opens again by itself within a minute or two",
                underlying: closed)
        }
        if let wrong = refusals.first(where: { $0.code == .wrongPasscode || $0.code == .rejected }) {
            return CommissioningError(
                .wrongPasscode, stage: .pase, "the setup code does not fit \(tried)",
                hint:
                    "check the code on the device or in the app that shares it; a code from an app is valid only while "
                    + "its window is open",
                underlying: wrong)
        }
        return CommissioningError(
            .deviceRefused, stage: .pase, "pairing with \(tried) failed: \(refusals.first?.reason ?? "no answer")",
            underlying: refusals.first)
    }
}
