import MatterSecureChannel
import MatterTransport

/// A handshake under way.
struct ConnectionAttempt: Sendable {
    let exchange: Exchange
    let localSessionID: UInt16
}

/// What has been learnt while setting up one session: where the peer may be, what was tried, what came back.
struct ConnectionRace: Sendable {
    /// The pause before a handshake that merely went unanswered is begun anew.
    private static let pause = Duration.milliseconds(100)

    let target: PeerTarget
    /// Candidates in the order in which they became known.
    private(set) var addresses: [PeerAddress]
    var reliability: ReliabilityParameters
    var attempt: ConnectionAttempt?
    /// Whether the next attempt is already on its way.
    var isPausing = false
    var locatorEnded: Bool
    /// The account for the caller, kept up to date so that it is complete whenever time runs out.
    var failure: SessionError
    private var heardAt: Instant?
    /// The addresses that the locator has named; the others are mere hints.
    private var located: Set<PeerAddress> = []
    /// What somebody at an old address said who is not the peer.
    private var stranger: (address: PeerAddress, failure: SessionError)?

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
    /// - Throws: ``SessionError`` if the peer has refused us there already.
    mutating func add(_ address: PeerAddress) throws(SessionError) -> Bool {
        located.insert(address)
        if let stranger, stranger.address == address { throw stranger.failure }
        guard !addresses.contains(address) else { return false }
        addresses.append(address)
        return true
    }

    /// Takes note of a failed attempt.
    ///
    /// - Parameter address: where the peer answered, if anybody did.
    /// - Returns: how long to wait before the next one; `nil` if there is none before another address is known.
    /// - Throws: ``SessionError`` if another attempt would end the same way.
    mutating func note(_ error: any Error, report: ExchangeReport?, from address: PeerAddress?) throws -> Duration? {
        noteReport(report ?? (error as? TransportError)?.report)
        switch error {
        case let refusal as SecureChannelError:
            if refusal.code == .busy {
                failure.refusal = refusal
                failure.code = .busy
                failure.reason = "the device stayed busy with another handshake"
                return max(refusal.wait ?? .zero, Self.pause)
            }
            var refused = finalError()
            refused.code = .refused
            refused.reason = refusal.reason
            refused.refusal = refusal
            guard let address, isStranger(refusal, at: address) else { throw refused }
            stranger = (address, refused)
            addresses.removeAll { $0 == address }
            return addresses.isEmpty ? nil : Self.pause
        case let error as TransportError where error.code == .unreachable:
            failure.code = .unreachable
            failure.reason = "none of its addresses can be reached from here"
            if locatorEnded { throw finalError() }
            // Discovery may still come up with an address that can be reached.
            return .milliseconds(500)
        case let error as TransportError where error.code == .notAcknowledged || error.code == .noReply:
            return Self.pause
        default:
            throw error
        }
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

    /// Whether a refusal may come from another device that has the peer's old address now.
    private func isStranger(_ refusal: SecureChannelError, at address: PeerAddress) -> Bool {
        guard refusal.code == .noSharedTrustRoots || refusal.code == .wrongPeer else { return false }
        return !locatorEnded && !located.contains(address)
    }

    /// The failure when time is up or there is nothing left to try.
    func finalError() -> SessionError {
        if addresses.isEmpty, let stranger { return stranger.failure }
        var complete = failure
        complete.lastHeard = heardAt.map { .now - $0 }
        return complete
    }
}
