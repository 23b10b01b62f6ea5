import MatterNetwork

/// The candidates of a search and what came of them: a state machine without I/O or clock.
///
/// Anyone on the network can advertise any number of devices that match a code. The order is therefore one of fairness:
/// first those that had the fewest turns, among them those of hosts that had the fewest; and the more there are, the
/// less each of them keeps the others waiting.
struct CandidateBoard: Sendable {
    /// How long one candidate is tried before the others have another turn.
    private static let slice = Duration.seconds(20)
    /// How long one that says nothing keeps the next one waiting: records outlive their devices. Once it has spoken, it
    /// has its slice to itself, so that no two devices are asked for the passcode at once. One that sleeps gets longer.
    private static let patience = Duration.seconds(3)
    /// The time if many wait.
    private static let shortSlice = Duration.seconds(5)
    /// How long to wait before a device is asked again that is advertised as open and says that it is closed: its
    /// commissioning may have been cut short, and it opens again by itself.
    private static let reopening = Duration.seconds(3)
    /// How long to look for further candidates after all so far have refused the passcode.
    private static let grace = Duration.seconds(3)
    private static let leastPatience = Duration.milliseconds(100)
    /// More than these that wait for their first turn are many.
    private static let crowd = 8
    /// Candidates that are tried at the same time because none of them says anything.
    private static let together = 64
    /// Candidates that are remembered.
    static let capacity = 512

    /// True if a device that says that it is closed is tried as long as there is time.
    private let waitsForWindow: Bool
    /// The end of the caller's time.
    private let deadline: Instant

    enum Event: Sendable {
        case found(CommissionableDevice)
        case browseFailed(any Error)
        /// A candidate says something.
        case heard(String)
        case patienceEnded(String, turn: Int)
        /// A candidate's turn ended without a session.
        case failed(String, any Error)
        /// A candidate that said that it is closed may have opened again.
        case reopening(String)
        /// The look-out for candidates is over.
        case lookoutEnded
        case graceEnded
        /// The time of the caller is over, and candidates had a moment to say what became of them.
        case timeUp
    }

    enum Action: Sendable {
        /// The first device that matches is there.
        case sayLocated
        /// Try the passcode on a candidate.
        case pair(Turn)
        /// A candidate that is being tried has another address.
        case add(PeerLocation, to: String)
        /// No more addresses of a candidate are wanted.
        case endLocations(of: String)
        /// The search waits for a device that says that it is closed.
        case sayWaiting(label: String)
        /// Come back with the event after that time.
        case wait(Duration, then: Event)
        /// There was no candidate at all; on a host without a network, that is why.
        case failUnfound
        /// No candidate will do.
        case fail(any Error)
    }

    private enum State {
        case untried, trying, silent
        /// It said that it is closed, and may open again.
        case closed(SecureChannelError)
        case refused(SecureChannelError)
    }

    /// True if a candidate that is being tried keeps the others waiting.
    private enum Voice { case awaited, absent, heard }

    /// One candidate's turn.
    struct Turn: Sendable {
        let instance: String
        /// Counts the turns of this candidate.
        let turn: Int
        /// How long it keeps the others waiting if it says nothing.
        let patience: Duration
        /// When it ends.
        let end: Instant
        let addresses: [PeerAddress]
        let reliability: ReliabilityParameters
        /// Vendor and product as it advertises them.
        let advertised: VendorAndProduct
    }

    private struct Candidate {
        var state = State.untried
        var voice = Voice.awaited
        /// How often it was tried.
        var turns = 0
        var wasSilent = false
        var label: String
        var parameters: ReliabilityParameters
        var advertised: VendorAndProduct
        var addresses: [PeerAddress]

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

    private var hasSaidWaiting = false

    init(deadline: Instant, waitsForWindow: Bool = true) {
        self.deadline = deadline
        self.waitsForWindow = waitsForWindow
    }

    mutating func handle(_ event: Event, now: Instant) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .found(let device):
            if candidates.isEmpty { actions.append(.sayLocated) }
            actions += note(device)
        case .browseFailed(let error):
            if candidates.isEmpty { return [.fail(error)] }
        case .heard(let instance):
            candidates[instance]?.voice = .heard
            candidates[instance]?.wasSilent = false
        case .patienceEnded(let instance, let turn):
            noteSilence(of: instance, turn: turn)
            if isHopeless { actions.append(.wait(Self.grace, then: .graceEnded)) }
        case .failed(let instance, let error):
            guard let failure = error as? SessionError else { return [.fail(error)] }
            actions += noteFailure(of: instance, failure)
        case .reopening(let instance):
            reopen(instance)
        case .lookoutEnded:
            if candidates.isEmpty { return [.failUnfound] }
        case .graceEnded:
            if isHopeless { return [.fail(refusal())] }
        case .timeUp:
            return [failure().map { .fail($0) } ?? .failUnfound]
        }
        guard now < deadline else { return actions + (failure().map { [.fail($0)] } ?? []) }
        return actions + startNext(now)
    }

    /// Takes note of a device, or of new addresses of one that is known.
    private mutating func note(_ device: CommissionableDevice) -> [Action] {
        let addresses = device.addresses.compactMap { PeerAddress($0) }
        let reliability = ReliabilityParameters(device.record.parameters)
        guard var known = candidates[device.instance] else {
            guard candidates.count < Self.capacity || dropOne() else { return [] }
            candidates[device.instance] = Candidate(
                label: addresses.first?.description ?? device.host, parameters: reliability,
                advertised: VendorAndProduct(
                    vendorID: device.record.vendorID.map { VendorID($0) }, productID: device.record.productID),
                addresses: addresses)
            queue.append(device.instance)
            return []
        }
        let new = addresses.filter { !known.addresses.contains($0) }
        known.addresses += new
        candidates[device.instance] = known
        guard case .trying = known.state else { return [] }
        return new.map { .add(PeerLocation(address: $0, reliability: reliability), to: device.instance) }
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

    /// The turn of the next candidate, unless one is being tried that speaks or may yet do so.
    private mutating func startNext(_ now: Instant) -> [Action] {
        var trying = 0
        for candidate in candidates.values {
            guard case .trying = candidate.state else { continue }
            trying += 1
            if candidate.voice != .absent { return [] }
        }
        guard trying < Self.together, let position = next else { return [] }
        let instance = queue.remove(at: position)
        queue.append(instance)
        guard var candidate = candidates[instance] else { return [] }
        candidate.state = .trying
        candidate.voice = .awaited
        candidate.turns += 1
        candidates[instance] = candidate
        if let host = candidate.addresses.first { hostTurns[host.host, default: 0] += 1 }
        let others = waitingForFirstTurn
        let isCrowded = others > Self.crowd
        let patience =
            isCrowded
            ? max(Self.leastPatience, Self.patience * Self.crowd / others / 4)
            : max(Self.patience, candidate.parameters.idleInterval * 2)
        let turn = Turn(
            instance: instance, turn: candidate.turns, patience: patience,
            end: min(deadline, now + (isCrowded ? Self.shortSlice : Self.slice)), addresses: candidate.addresses,
            reliability: candidate.parameters, advertised: candidate.advertised)
        return [.pair(turn), .wait(patience, then: .patienceEnded(instance, turn: candidate.turns))]
    }

    /// A candidate has had its time to say something.
    private mutating func noteSilence(of instance: String, turn: Int) {
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

    private mutating func noteFailure(of instance: String, _ failure: SessionError) -> [Action] {
        var actions: [Action] = [.endLocations(of: instance)]
        if let refusal = failure.refusal, failure.code == .refused {
            isContradicted = isContradicted || failure.isContradicted
            let mayOpen = refusal.code == .windowClosed && waitsForWindow
            candidates[instance]?.state = mayOpen ? .closed(refusal) : .refused(refusal)
            if mayOpen {
                if !hasSaidWaiting { actions.append(.sayWaiting(label: candidates[instance]?.label ?? instance)) }
                hasSaidWaiting = true
                actions.append(.wait(Self.reopening, then: .reopening(instance)))
            }
        } else {
            lastFailure = failure
            candidates[instance]?.state = .silent
            // One that is busy is there.
            if failure.code != .busy { candidates[instance]?.wasSilent = true }
        }
        if isHopeless { actions.append(.wait(Self.grace, then: .graceEnded)) }
        return actions
    }

    /// A candidate that said that it is closed may have another turn.
    private mutating func reopen(_ instance: String) {
        guard let candidate = candidates[instance], case .closed(let refusal) = candidate.state else { return }
        lastClosed = (candidate.label, refusal)
        candidates[instance]?.state = .silent
    }

    /// True if no candidate is left that might want us: some have refused, and the others had their turn and were
    /// silent, as those are whose records outlive them.
    private var isHopeless: Bool {
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
    private func failure() -> (any Error)? {
        let hasRefusal = candidates.values.contains { $0.refusal != nil }
        return hasRefusal || lastClosed != nil ? refusal() : lastFailure
    }

    /// Why no candidate will do, with all that were tried.
    private func refusal() -> CommissioningError {
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
