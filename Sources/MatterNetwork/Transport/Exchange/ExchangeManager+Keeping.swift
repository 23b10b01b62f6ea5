package import MatterCrypto

/// Sessions that go from process to process.
extension ExchangeManager {
    /// Reserves the next block of message counters of a session.
    ///
    /// - Returns: the end of the block; `nil` if there is none to be had.
    package typealias Reservation = @Sendable () -> UInt64?

    /// Sees to it that a session of another process does not run out of counters.
    func topUp(_ session: SessionReference) {
        guard let reserve = reservations[session], engine.countersLeft(on: session) < Self.fewCounters,
            let end = reserve()
        else { return }
        engine.stopCounters(before: end, on: session)
    }

    /// More than one datagram can use up.
    private static let fewCounters = 64

    /// Goes on with a session of an earlier process.
    ///
    /// - Parameters:
    ///   - count: how many message counters were reserved for this process.
    ///   - reserve: gets more of them when they run short.
    /// - Returns: `nil` if another session of ours has its id.
    package func adopt(
        _ snapshot: SessionSnapshot, counters count: UInt32, reserve: @escaping Reservation
    ) throws(CryptoError) -> SessionReference? {
        guard !reservedSessionIDs.contains(snapshot.parameters.localSessionID),
            let session = try engine.adopt(snapshot, counters: count, now: time.now)
        else { return nil }
        reservations[session] = reserve
        observer?.established(snapshot.parameters)
        return session
    }

    /// The state that another process needs to go on with a session, which ends here without a word.
    package func handOver(_ session: SessionReference, _ parameters: SecureSessionParameters) -> SessionSnapshot? {
        guard let snapshot = engine.snapshot(of: session, parameters) else { return nil }
        remove(session)
        return snapshot
    }

    /// The port that the link has, if it is open.
    package var port: UInt16 { socket?.port ?? 0 }

    /// Tries a secure session at a further address, too.
    package func reach(_ session: SessionReference, at address: PeerAddress) {
        perform(engine.reach(session, at: address))
    }

    /// Asks for a port to listen on. It is taken if it is free when the link is opened.
    package func prefer(port: UInt16) { wantedPort = port }

    /// When the peer of a session last acknowledged something of ours.
    package func lastAcknowledged(on session: SessionReference) -> Instant? { engine.lastAcknowledged(on: session) }

    /// True if something was sent on a session and is not acknowledged.
    package func hasUnacknowledged(on session: SessionReference) -> Bool { engine.hasUnacknowledged(on: session) }

    /// After how long without an acknowledgement a session is doubted.
    package func headStart(on session: SessionReference) -> Duration {
        engine.headStart(on: session, now: time.now)
    }
}
