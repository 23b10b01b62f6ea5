/// Where the peer may be, what was tried and what came back, while one session is set up: a state machine without I/O or
/// clock.
///
/// Every address gets the *same* datagrams, so that a peer that is reached twice sees a duplicate, not a second
/// handshake. A refusal speaks for its address only: it is tried no more, as long as there are others.
struct ConnectionRace: Sendable {
    enum Event: Sendable {
        case began
        /// The addresses that were known have had their time alone.
        case headStartEnded
        case located(PeerLocation)
        case locatorEnded((any Error)?)
        /// A further address has waited for the first one to answer.
        case staggered(PeerAddress)
        /// The attempt goes on, but an answer has refused it.
        case objected(Objection)
        /// The attempt ended without a session.
        case failed(any Error, ExchangeReport?)
        case pauseEnded
        /// Discovery has had its time to name another address than those that refused us.
        case searchEnded
        /// The time of the caller is over; with the report of the attempt under way.
        case timeUp(ExchangeReport?)
    }

    enum Action: Sendable {
        /// Look up where the peer is.
        case locate
        /// Begin a handshake.
        case attempt(Attempt)
        /// Send the messages of the attempt to this address too.
        case add(PeerAddress)
        /// Come back with the event after that time.
        case wait(Duration, then: Event)
        /// The peer puts us off because of another handshake.
        case tellBusy
        /// There will be no session.
        case fail(any Error)
    }

    /// One handshake with all the addresses that have not refused us.
    struct Attempt: Sendable {
        var candidates: [PeerAddress]
        var reliability: ReliabilityParameters
        var patience: HandshakeRun.Patience
        var experience: HandshakeRun.Experience
    }

    private enum State { case idle, attempting, pausing }

    /// How long an address that answered before is tried alone, at most; the peer's active interval if that is shorter. A
    /// look-up costs more than an answer.
    private static let longestHeadStart = Duration.milliseconds(500)
    /// How long further addresses wait for the first one to answer.
    static let stagger = Duration.milliseconds(150)
    /// The pause before a handshake that merely went unanswered is started again.
    static let pause = Duration.milliseconds(100)
    /// The pause for discovery to come up with an address that can be reached.
    static let pauseForDiscovery = Duration.milliseconds(500)
    /// How long the other addresses are tried after one has refused us; where there are none, how long discovery may take to
    /// name one. A question that is lost on the network is asked again after one second and after three.
    private static let insistence = Duration.seconds(3)
    /// How long a better answer may take than a refusal, from the same address, from another one, or from one that
    /// discovery has yet to name.
    private static let grace = Duration.seconds(2)
    /// The time for a peer that sleeps.
    private static let longestGrace = Duration.seconds(10)

    private let target: PeerTarget
    private let processing: Duration
    private var state = State.idle
    /// Candidates in the order in which they became known.
    private var addresses: [PeerAddress]
    private var reliability: ReliabilityParameters
    private var locatorEnded: Bool
    private var isLocating: Bool
    /// True if discovery has named an address.
    private var isLocated = false
    /// The account for the caller, kept up to date so that it is complete whenever time runs out.
    private var failure: SessionError
    private var heardAt: Instant?
    /// The objections of each address.
    private var refusals: [PeerAddress: SecureChannelError] = [:]
    /// The last objection of all, and the last one of an attempt that is still under way.
    private var lastRefusal: SecureChannelError?
    private var pendingObjection: SecureChannelError?
    private var refusedAt: Instant?
    /// True if there were answers that cannot all be the peer's.
    private var isContradicted = false
    /// Attempts that may have failed because a message was damaged on the way.
    private var doubts = 0
    /// The findings that the next attempt needs.
    private var experience = HandshakeRun.Experience()

    /// - Parameter processing: how long the peer may take over the first message of the first attempt; each further
    ///   attempt allows twice as much.
    init(target: PeerTarget, processing: Duration) {
        self.target = target
        self.processing = processing
        addresses = target.hints
        reliability = target.reliability
        locatorEnded = target.locate == nil
        isLocating = target.locate == nil
        failure = SessionError(.notDiscovered, phase: target.phase, "no address is known")
    }

    mutating func handle(_ event: Event, now: Instant) -> [Action] {
        switch event {
        case .began:
            guard !addresses.isEmpty else { return locate() }
            let headStart = min(reliability.activeInterval, Self.longestHeadStart)
            return [begin()] + (isLocating ? [] : [.wait(headStart, then: .headStartEnded)])
        case .headStartEnded:
            return locate()
        case .located(let location):
            reliability = location.reliability ?? reliability
            isLocated = true
            guard !addresses.contains(location.address) else {
                // Discovery names an address that has refused us: others follow at once, or there are none.
                return state == .idle ? [.wait(Self.stagger, then: .searchEnded)] : []
            }
            addresses.append(location.address)
            switch state {
            case .idle: return [begin()]
            case .attempting: return [.wait(Self.stagger, then: .staggered(location.address))]
            case .pausing: return []
            }
        case .staggered(let address):
            return state == .attempting ? [.add(address)] : []
        case .locatorEnded(let error):
            locatorEnded = true
            failure.discoveryFailure = error
            guard state == .idle else { return [] }
            if failure.attempts == 0, let error { return [.fail(error)] }
            return [.fail(finalError(now))]
        case .objected(let objection):
            pendingObjection = objection.error
            return locate() + (objection.error.code == .busy ? [.tellBusy] : [])
        case .failed(let error, let report):
            do {
                guard let pause = try judge(error, report, now) else {
                    state = .idle
                    return locate() + [.wait(Self.insistence, then: .searchEnded)]
                }
                state = .pausing
                return locate() + [.wait(pause, then: .pauseEnded)]
            } catch {
                return [.fail(error)]
            }
        case .pauseEnded:
            return [begin()]
        case .searchEnded:
            return state == .idle ? [.fail(finalError(now))] : []
        case .timeUp(let report):
            note(report, now)
            return [.fail(finalError(now))]
        }
    }

    /// Looks the peer up, unless that has begun.
    private mutating func locate() -> [Action] {
        guard !isLocating else { return [] }
        isLocating = true
        return [.locate]
    }

    // MARK: Attempts

    private mutating func begin() -> Action {
        state = .attempting
        failure.attempts += 1
        let processing = processing * (1 << min(failure.attempts - 1, 4))
        let patience = HandshakeRun.Patience(
            processing: processing, laterProcessing: max(processing, laterProcessing),
            grace: min(max(Self.grace, reliability.idleInterval * 2), Self.longestGrace))
        return .attempt(
            Attempt(
                candidates: addresses.filter { refusals[$0] == nil }, reliability: reliability, patience: patience,
                experience: experience))
    }

    /// How long a peer that is in the middle of a handshake may compute: a device takes part in one PASE at a time, and
    /// every failed one counts against its window. CASE is restarted sooner, within the patience of a command.
    private var laterProcessing: Duration { target.phase == .pase ? .seconds(30) : .seconds(10) }

    /// Takes note of a failed attempt.
    ///
    /// - Returns: how long to wait before the next one; `nil` if there can be one only where discovery names another address.
    /// - Throws: ``SessionError`` if another attempt would end the same way; what is no matter of the peer's.
    private mutating func judge(_ error: any Error, _ report: ExchangeReport?, _ now: Instant) throws -> Duration? {
        pendingObjection = nil
        note(report ?? (error as? TransportError)?.report, now)
        switch error {
        case let objections as Objections:
            return try judge(objections, now)
        case let error as SecureChannelError:
            throw refused(error, now)
        case let error as TransportError where error.code == .unreachable:
            failure.code = .unreachable
            failure.reason = "none of its addresses can be reached from this host"
            if locatorEnded || hasInsisted(now) { throw finalError(now) }
            return Self.pauseForDiscovery
        case let error as TransportError where error.code == .notAcknowledged || error.code == .noReply:
            if hasInsisted(now) { throw finalError(now) }
            return Self.pause
        default:
            throw error
        }
    }

    private mutating func judge(_ objections: Objections, _ now: Instant) throws -> Duration? {
        var wait: Duration?
        for objection in objections.list {
            let error = objection.error
            if error.code == .busy {
                failure.refusal = error
                failure.code = .busy
                failure.reason = "the device stayed busy with another handshake"
                wait = max(wait ?? .zero, (error.wait ?? .zero) - (now - objection.receivedAt))
                continue
            }
            if let lastRefusal, lastRefusal.code != error.code { isContradicted = true }
            lastRefusal = error
            experience.objections.insert(error.code)
            refusals[objection.address] = error
            refusedAt = refusedAt ?? now
        }
        if objections.isContradicted { isContradicted = true }
        if objections.isContested {
            // One of the addresses is the peer's, and which one is not known.
            experience.contested += 1
            refusals = [:]
            return Self.pause
        }
        if addresses.allSatisfy({ refusals[$0] != nil }) {
            guard objections.list.allSatisfy(\.isDoubtful), doubts == 0 else {
                if locatorEnded || isLocated || target.phase == .pase { throw finalError(now) }
                return nil
            }
            doubts += 1
            refusals = [:]
        } else if hasInsisted(now) {
            throw finalError(now)
        }
        return max(wait ?? .zero, Self.pause)
    }

    /// True if the addresses that have not refused us had their time as well.
    private func hasInsisted(_ now: Instant) -> Bool {
        refusedAt.map { now - $0 >= Self.insistence } ?? false
    }

    // MARK: The account

    private mutating func note(_ report: ExchangeReport?, _ now: Instant) {
        guard let report else { return }
        for address in report.addresses where !failure.tried.contains(address) { failure.tried.append(address) }
        failure.sendFailures.merge(report.sendFailures) { _, new in new }
        failure.transmissions = report.transmissions
        if let lastHeard = report.lastHeard { heardAt = now - lastHeard }
        if report.acknowledged || report.lastHeard != nil {
            failure.code = .noReply
            failure.reason = "the device acknowledged the handshake but did not go on with it"
        } else if failure.code != .noReply {
            failure.code = .silent
            failure.reason =
                "nothing came back from \(failure.tried.count == 1 ? "its address" : "any of its addresses")"
        }
    }

    private func refused(_ refusal: SecureChannelError, _ now: Instant) -> SessionError {
        var complete = failure
        complete.lastHeard = heardAt.map { now - $0 }
        complete.code = .refused
        complete.reason = refusal.reason
        complete.refusal = refusal
        complete.isContradicted = isContradicted
        if isContradicted { complete.reason += "; other answers contradict it: possible interference" }
        return complete
    }

    /// The failure when time is up or there is nothing left to try.
    private func finalError(_ now: Instant) -> SessionError {
        if let refusal = lastRefusal ?? pendingObjection.flatMap({ $0.code == .busy ? nil : $0 }) {
            return refused(refusal, now)
        }
        var complete = failure
        if let pendingObjection {
            complete.code = .busy
            complete.reason = "the device stayed busy with another handshake"
            complete.refusal = pendingObjection
        }
        complete.lastHeard = heardAt.map { now - $0 }
        return complete
    }
}
