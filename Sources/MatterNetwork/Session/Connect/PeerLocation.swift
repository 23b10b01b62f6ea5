/// One answer to the question where a peer is.
package struct PeerLocation: Sendable {
    package var address: PeerAddress
    /// The reliability parameters in its DNS-SD record, if it has one.
    package var reliability: ReliabilityParameters?

    // memberwise: package, reliability = nil
}

/// How to find a peer and how to treat it until it has spoken.
package struct PeerTarget: Sendable {
    /// `pase` or `case`; names the phase in errors.
    package var phase: HandshakePhase
    /// Addresses to try at once: hints, not truth.
    package var hints: [PeerAddress]
    /// Looks the peer up; `nil` if the hints are all there is.
    package var locate: (@Sendable () -> AsyncThrowingStream<PeerLocation, any Error>)?
    package var reliability: ReliabilityParameters
    /// True if the peer counts as awake before it was heard.
    package var presumedActive: Bool
    /// Told when the peer puts us off because it is busy with another handshake.
    package var onBusy: (@Sendable () -> Void)?

    package init(
        phase: HandshakePhase, hints: [PeerAddress] = [], reliability: ReliabilityParameters = .standard,
        presumedActive: Bool, locate: (@Sendable () -> AsyncThrowingStream<PeerLocation, any Error>)? = nil
    ) {
        self.phase = phase
        self.hints = hints
        self.reliability = reliability
        self.presumedActive = presumedActive
        self.locate = locate
    }
}
