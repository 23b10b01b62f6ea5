import MatterDiscovery
import MatterSecureChannel
import MatterSession
import MatterTransport

/// The candidates of a search and what came of them.
///
/// Anyone on the network can advertise any number of devices that match a code. The order is therefore one of fairness:
/// first those that had the fewest turns, among them those of hosts that had the fewest; and the more there are, the
/// less each of them keeps the others waiting.
struct CandidateBoard {
    /// How long one candidate is tried before the others have another turn.
    private static let slice = Duration.seconds(20)
    /// How long one that says nothing keeps the next one waiting: records outlive their devices. Once it has spoken, it
    /// has its slice to itself, so that no two devices are asked for the passcode at once. One that sleeps gets longer.
    private static let patience = Duration.seconds(3)
    /// The time if many wait.
    private static let shortSlice = Duration.seconds(5)
    private static let leastPatience = Duration.milliseconds(100)
    /// More than these that wait for their first turn are many.
    private static let crowd = 8
    /// Candidates that are tried at the same time because none of them says anything.
    private static let together = 64
    /// Candidates that are remembered.
    static let capacity = 512

    let waitsForWindow: Bool

    private enum State {
        case untried, trying, silent
        /// It said that it is closed, and may open again.
        case closed(SecureChannelError)
        case refused(SecureChannelError)
    }

    /// True if a candidate that is being tried keeps the others waiting.
    private enum Voice { case awaited, absent, heard }

    /// One candidate's turn.
    struct Turn {
        let instance: String
        /// Counts the turns of this candidate.
        let turn: Int
        /// How long it keeps the others waiting if it says nothing.
        let patience: Duration
        /// How long it has in all.
        let slice: Duration
        let target: PeerTarget
    }

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

        var refusal: SecureChannelError? {
            switch state {
            case .refused(let error), .closed(let error): error
            default: nil
            }
        }
    }

    private var candidates: [String: Candidate] = [:]
    /// In the order in which they are to be tried.
    private var queue: [String] = []
    private var lastFailure: SessionError?
    /// Turns that the candidates at one host had, by its address.
    private var hostTurns: [String: Int] = [:]
    private var isContradicted = false
    /// A device that said that it is closed and is being tried again.
    private var lastClosed: (label: String, error: SecureChannelError)?

    init(waitsForWindow: Bool = true) { self.waitsForWindow = waitsForWindow }

    var isEmpty: Bool { candidates.isEmpty }

    /// Takes note of a device, or of new addresses of one that is known.
    mutating func note(_ device: CommissionableDevice) {
        let addresses = device.addresses.compactMap { PeerAddress($0) }
        let reliability = ReliabilityParameters(device.record.parameters)
        guard var known = candidates[device.instance] else {
            guard candidates.count < Self.capacity || dropOne() else { return }
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

    /// Makes room for a new candidate at the cost of one that had its turn.
    private mutating func dropOne() -> Bool {
        guard
            let position = queue.firstIndex(where: { instance in
                guard let candidate = candidates[instance], candidate.turns > 0 else { return false }
                if case .trying = candidate.state { return false }
                return true
            })
        else { return false }
        candidates[queue.remove(at: position)] = nil
        return true
    }

    /// The place in the queue of the one whose turn is next.
    private var next: Int? {
        func rank(_ position: Int) -> (Int, Int, Int) {
            let candidate = candidates[queue[position]]
            let host = candidate?.addresses.first?.host ?? ""
            return (candidate?.turns ?? 0, hostTurns[host] ?? 0, position)
        }
        return queue.indices.filter { isOpen(queue[$0]) }.min { rank($0) < rank($1) }
    }

    private var waitingForFirstTurn: Int {
        candidates.values.count { if case .untried = $0.state { true } else { false } }
    }

    /// The next candidate, unless one is being tried that speaks or may yet do so.
    mutating func startNext() -> Turn? {
        var trying = 0
        for candidate in candidates.values {
            guard case .trying = candidate.state else { continue }
            trying += 1
            if candidate.voice != .absent { return nil }
        }
        guard trying < Self.together, let position = next else { return nil }
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
        if let host = candidate.addresses.first { hostTurns[host.host, default: 0] += 1 }
        let target = PeerTarget(
            phase: "pase", hints: Array(candidate.addresses.prefix(1)), reliability: candidate.parameters,
            presumedActive: true, locate: { stream })
        let others = waitingForFirstTurn
        let isCrowded = others > Self.crowd
        let patience =
            isCrowded
            ? max(Self.leastPatience, Self.patience * Self.crowd / others / 4)
            : max(Self.patience, candidate.parameters.idleInterval * 2)
        return Turn(
            instance: instance, turn: candidate.turns, patience: patience,
            slice: isCrowded ? Self.shortSlice : Self.slice, target: target)
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
            isContradicted = isContradicted || failure.isContradicted
            let mayOpen = refusal.code == .windowClosed && waitsForWindow
            candidates[instance]?.state = mayOpen ? .closed(refusal) : .refused(refusal)
        } else {
            lastFailure = failure
            candidates[instance]?.state = .silent
            // One that is busy is there.
            if failure.code != .busy { candidates[instance]?.wasSilent = true }
        }
    }

    /// The label of a candidate that said that it is closed; `nil` if it did not.
    func closed(_ instance: String) -> String? {
        guard let candidate = candidates[instance], case .closed = candidate.state else { return nil }
        return candidate.label
    }

    /// A candidate that said that it is closed may have another turn.
    mutating func reopen(_ instance: String) {
        guard let candidate = candidates[instance], case .closed(let refusal) = candidate.state else { return }
        lastClosed = (candidate.label, refusal)
        candidates[instance]?.state = .silent
    }

    /// True if no candidate is left that might want us: some have refused, and the others had their turn and were
    /// silent, as those are whose records outlive them.
    var isHopeless: Bool {
        var hasRefusal = false
        for candidate in candidates.values {
            switch candidate.state {
            case .untried, .closed: return false
            case .refused: hasRefusal = true
            case .trying, .silent: guard candidate.wasSilent else { return false }
            }
        }
        return hasRefusal
    }

    /// Why no candidate came to anything within the time: what the last one said counts more than silence.
    func failure() -> (any Error)? {
        let hasRefusal = candidates.values.contains { $0.refusal != nil }
        return hasRefusal || lastClosed != nil ? refusal() : lastFailure
    }

    /// Why no candidate will do, with all that were tried.
    func refusal() -> CommissioningError {
        var refusals = candidates.values.compactMap { candidate -> (label: String, error: SecureChannelError)? in
            candidate.refusal.map { (candidate.label, $0) }
        }.sorted { $0.label < $1.label }
        // One device may have several records: those of windows that are over.
        if refusals.isEmpty, let lastClosed { refusals = [lastClosed] }
        var labels: [String] = []
        for refusal in refusals where !labels.contains(refusal.label) { labels.append(refusal.label) }
        let tried = labels.joined(separator: ", ")
        return PASEFailure.error(refusals.map(\.error), tried: tried, isContradicted: isContradicted)
    }
}
