import MatterSecureChannel
import MatterTransport

/// A handshake under way.
struct ConnectionAttempt: Sendable {
    let exchange: Exchange
    let localSessionID: UInt16
}

/// The findings while setting up one session: where the peer may be, what was tried, what came back.
struct ConnectionRace: Sendable {
    /// The pause before a handshake that merely went unanswered is started again.
    private static let pause = Duration.milliseconds(100)
    /// How long the other addresses are tried after one has refused us.
    private static let insistence = Duration.seconds(3)

    let target: PeerTarget
    /// Candidates in the order in which they became known.
    private(set) var addresses: [PeerAddress]
    var reliability: ReliabilityParameters
    var attempt: ConnectionAttempt?
    /// True if the next attempt is already on its way.
    var isPausing = false
    var locatorEnded: Bool
    /// The account for the caller, kept up to date so that it is complete whenever time runs out.
    var failure: SessionError
    private var heardAt: Instant?
    /// The objections of each address. It is tried no more, as long as there are others.
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
    private(set) var experience = HandshakeRun.Experience()

    /// Where the next attempt goes: to the addresses that have not refused us.
    var candidates: [PeerAddress] { addresses.filter { refusals[$0] == nil } }

    init(target: PeerTarget) {
        self.target = target
        addresses = target.hints
        reliability = target.reliability
        locatorEnded = target.locate == nil
        failure = SessionError(.notDiscovered, phase: target.phase, "no address is known")
    }

    /// Takes note of an address that the locator names.
    ///
    /// - Returns: whether the address is a new one.
    mutating func add(_ address: PeerAddress) -> Bool {
        guard !addresses.contains(address) else { return false }
        addresses.append(address)
        return true
    }

    /// Takes note of an objection in the attempt that is under way, which goes on.
    mutating func note(_ objection: Objection) { pendingObjection = objection.error }

    /// Takes note of a failed attempt.
    ///
    /// - Returns: how long to wait before the next one.
    /// - Throws: ``SessionError`` if another attempt would end the same way.
    mutating func note(_ error: any Error, report: ExchangeReport?, now: Instant = .now) throws -> Duration {
        pendingObjection = nil
        noteReport(report ?? (error as? TransportError)?.report)
        switch error {
        case let objections as Objections:
            return try note(objections, now: now)
        case let error as SecureChannelError:
            throw refused(error)
        case let error as TransportError where error.code == .unreachable:
            failure.code = .unreachable
            failure.reason = "none of its addresses can be reached from this host"
            if locatorEnded || hasInsisted(now) { throw finalError() }
            // Discovery may still come up with an address that can be reached.
            return .milliseconds(500)
        case let error as TransportError where error.code == .notAcknowledged || error.code == .noReply:
            if hasInsisted(now) { throw finalError() }
            return Self.pause
        default:
            throw error
        }
    }

    private mutating func note(_ objections: Objections, now: Instant) throws -> Duration {
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
        if candidates.isEmpty {
            guard objections.list.allSatisfy(\.isDoubtful), doubts == 0 else { throw finalError() }
            doubts += 1
            refusals = [:]
        } else if hasInsisted(now) {
            throw finalError()
        }
        return max(wait ?? .zero, Self.pause)
    }

    /// True if the addresses that have not refused us had their time as well.
    private func hasInsisted(_ now: Instant) -> Bool {
        refusedAt.map { now - $0 >= Self.insistence } ?? false
    }

    mutating func noteReport(_ report: ExchangeReport?) {
        guard let report else { return }
        for address in report.addresses where !failure.tried.contains(address) { failure.tried.append(address) }
        failure.sendFailures.merge(report.sendFailures) { _, new in new }
        failure.transmissions = report.transmissions
        if let lastHeard = report.lastHeard { heardAt = .now - lastHeard }
        if report.acknowledged || report.lastHeard != nil {
            failure.code = .noReply
            failure.reason = "the device acknowledged the handshake but did not go on with it"
        } else if failure.code != .noReply {
            failure.code = .silent
            failure.reason =
                "nothing came back from \(failure.tried.count == 1 ? "its address" : "any of its addresses")"
        }
    }

    private func refused(_ refusal: SecureChannelError) -> SessionError {
        var complete = failure
        complete.lastHeard = heardAt.map { .now - $0 }
        complete.code = .refused
        complete.reason = refusal.reason
        complete.refusal = refusal
        complete.isContradicted = isContradicted
        if isContradicted { complete.reason += "; other answers contradict it: possible interference" }
        return complete
    }

    /// The failure when time is up or there is nothing left to try.
    func finalError() -> SessionError {
        if let refusal = lastRefusal ?? pendingObjection.flatMap({ $0.code == .busy ? nil : $0 }) {
            return refused(refusal)
        }
        var complete = failure
        if let pendingObjection {
            complete.code = .busy
            complete.reason = "the device stayed busy with another handshake"
            complete.refusal = pendingObjection
        }
        complete.lastHeard = heardAt.map { .now - $0 }
        return complete
    }
}
