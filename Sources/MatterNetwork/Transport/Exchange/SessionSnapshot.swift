package import MatterCrypto

/// A secure session at rest: all that another process needs to go on with it.
package struct SessionSnapshot: Sendable {
    package var parameters: SecureSessionParameters
    /// The first message counter that was not used; 2^32 if all were.
    package var nextCounter: UInt64
    /// The received bytes.
    package var seen: ReceptionWindow.Seen
    /// The first exchange id that was not used.
    package var nextExchangeID: UInt16
    package var roundTrip: RoundTrip?
    /// When the peer last acknowledged something of ours.
    package var lastHeard: Instant?

    // memberwise: package
}

/// Sessions that go from process to process.
extension MessageEngine {
    /// Goes on with a session of an earlier process.
    ///
    /// - Parameter count: how many message counters this process may use, from `nextCounter` on.
    /// - Returns: `nil` if another session of ours has its id.
    package mutating func adopt(
        _ snapshot: SessionSnapshot, counters count: UInt32, now: Instant
    ) throws(CryptoError) -> SessionReference? {
        let reference = SessionReference.secure(snapshot.parameters.localSessionID)
        guard sessions[reference] == nil else { return nil }
        var state = try SessionState(secure: snapshot.parameters, initialCounter: 0, now: now)
        var counter = MessageCounter(next: snapshot.nextCounter)
        counter.stop(before: snapshot.nextCounter + UInt64(count))
        state.security?.counter = counter
        state.window = ReceptionWindow(snapshot.seen)
        state.nextExchangeID = snapshot.nextExchangeID
        state.roundTrip = snapshot.roundTrip
        state.lastHeard = snapshot.lastHeard
        state.lastAcknowledged = snapshot.lastHeard
        sessions[reference] = state
        return reference
    }

    /// The counters of a session for another process; those in the parameters are `parameters`, which the engine does
    /// not keep.
    package func snapshot(of session: SessionReference, _ parameters: SecureSessionParameters) -> SessionSnapshot? {
        guard let state = sessions[session], let security = state.security else { return nil }
        var parameters = parameters
        if let address = state.addresses.first { parameters.address = address }
        parameters.reliability = state.reliability
        return SessionSnapshot(
            parameters: parameters, nextCounter: security.counter.upcoming, seen: state.window.seen,
            nextExchangeID: state.nextExchangeID ?? nextExchangeID, roundTrip: state.roundTrip,
            lastHeard: state.lastAcknowledged)
    }

    /// Tries a secure session at a further address, too; whatever is in flight goes there at once, unchanged.
    package mutating func reach(_ session: SessionReference, at address: PeerAddress) -> [Action] {
        guard let state = sessions[session], state.security != nil else { return [] }
        if !state.addresses.contains(address) { sessions[session]?.addresses.append(address) }
        return exchanges.keys(of: session).flatMap { resend(on: $0, to: [address]) }
    }

    /// How many messages may still be sent on a session.
    func countersLeft(on session: SessionReference) -> UInt64 {
        sessions[session]?.security?.counter.remaining ?? 0
    }

    /// Limits, or extends, the message counters that this process may use on a session.
    ///
    /// - Parameter end: the first that it may not use.
    mutating func stopCounters(before end: UInt64, on session: SessionReference) {
        sessions[session]?.security?.counter.stop(before: end)
    }

    /// True if something was sent on a session and is not acknowledged.
    package func hasUnacknowledged(on session: SessionReference) -> Bool {
        exchanges.keys(of: session).contains { key in
            exchanges[key].map { $0.inFlight != nil || $0.abandoned != nil } ?? false
        }
    }

    /// When the peer of a session last acknowledged something of ours. What was sent to an earlier process may be played
    /// to this one by others, and proves nothing.
    package func lastAcknowledged(on session: SessionReference) -> Instant? { sessions[session]?.lastAcknowledged }

    /// After how long without an acknowledgement a lower rung is tried beside this session: the usual round trip where
    /// it is known, but no longer than the peer's own interval, and as long as that for one that sleeps.
    package func headStart(on session: SessionReference, now: Instant) -> Duration {
        guard let state = sessions[session] else { return .zero }
        let interval = state.retransmissionInterval(now: now)
        guard interval <= state.reliability.activeInterval, let roundTrip = state.roundTrip else { return interval }
        return min(interval, max(roundTrip.timeout * 2, Self.shortestHeadStart))
    }

    private static var shortestHeadStart: Duration { .milliseconds(50) }

    mutating func noteRoundTrip(_ sample: Duration, on session: SessionReference) {
        guard let state = sessions[session], state.security != nil else { return }
        var roundTrip = state.roundTrip
        roundTrip?.note(sample)
        sessions[session]?.roundTrip = roundTrip ?? RoundTrip(sample)
    }
}
