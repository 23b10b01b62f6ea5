/// How a session came to be: the rungs of the ladder, the fastest first.
public enum SessionRung: String, Sendable {
    /// An earlier process has set it up and left it.
    case kept
    /// It was resumed with the secret of an earlier one.
    case resumed
    /// A handshake with signatures.
    case full
}

/// A secure session with a peer, ready for exchanges (Matter core specification, chapter 4).
public struct SecureSession: Sendable {
    package let manager: ExchangeManager
    package let reference: SessionReference
    /// The result of the handshake.
    package let established: EstablishedSession
    /// Where the peer answered.
    public let address: PeerAddress
    /// How the session came about.
    public let rung: SessionRung
    /// How long it took until the session stood.
    package let setUpTime: Duration

    package init(
        manager: ExchangeManager, reference: SessionReference, established: EstablishedSession, address: PeerAddress,
        rung: SessionRung? = nil, setUpTime: Duration = .zero
    ) {
        self.manager = manager
        self.reference = reference
        self.established = established
        self.address = address
        self.rung = rung ?? (established.isResumed ? .resumed : .full)
        self.setUpTime = setUpTime
    }

    package func openExchange() async throws(TransportError) -> Exchange {
        try await manager.openExchange(on: reference)
    }

    /// How long a request on this session may take by the peer's own parameters: delivery to it, its work, and the
    /// delivery of the answer.
    package func responseAllowance(processing: Duration) async -> Duration {
        let there = await manager.longestDelivery(on: reference)
        let back = RetransmissionSchedule.longestTotal(
            interval: SessionParameters.own.reliability.activeInterval)
        return there + processing + back
    }

    /// Tells the peer that the session ends, so that its table does not fill, and forgets it.
    package func close() async {
        await sayGoodbye()
        await manager.remove(reference)
    }

    /// Closes a session on which messages got lost, or may be late: CloseSession is not acknowledged, so it is said
    /// three times, with pauses. A peer that has heard it does nothing any more that was sent on the session.
    package func closeInsistently() async {
        await sayGoodbye()
        for _ in 1..<Self.goodbyes where await manager.contains(reference) {
            try? await manager.time.sleep(for: Self.pauseBetweenGoodbyes)
            await sayGoodbye()
        }
        await manager.remove(reference)
    }

    /// Closes a session in whose place another one stands already: says so three times without a pause.
    package func leave() async {
        for _ in 0..<Self.goodbyes { await sayGoodbye() }
        await manager.remove(reference)
    }

    private static let goodbyes = 3
    private static let pauseBetweenGoodbyes = Duration.milliseconds(150)

    /// CloseSession is neither reliable nor answered; a peer that misses it evicts the session in time.
    private func sayGoodbye() async {
        guard let exchange = try? await openExchange() else { return }
        try? await exchange.send(.closeSession, reliable: false)
        await exchange.close()
    }
}

extension SecureSession {
    /// How the peer wants its messages repeated.
    package var reliability: ReliabilityParameters { established.peerParameters.reliability }

    /// True if the session began where an earlier one had ended.
    package var isResumed: Bool { established.isResumed }
}
