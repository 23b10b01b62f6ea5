import MatterCrypto

/// Names a session of the message layer.
package enum SessionReference: Hashable, Sendable {
    /// An unsecured session, by the ephemeral node id of its initiator and our role in it.
    case unsecured(ephemeralNodeID: UInt64, role: Role)
    /// A secure session, by the id that we allocated.
    case secure(UInt16)
}

/// Everything that a finished PASE or CASE handshake hands to the message layer.
package struct SecureSessionParameters: Sendable {
    package var localSessionID: UInt16
    package var peerSessionID: UInt16
    /// Our role in the handshake: it decides which key is whose.
    package var role: Role
    package var keys: SessionKeys
    /// Operational node ids on CASE sessions, 0 on PASE sessions: part of the nonces.
    package var localNodeID: UInt64
    package var peerNodeID: UInt64
    package var reliability: ReliabilityParameters
    package var address: PeerAddress

    // memberwise: package
}

/// A session as the message engine keeps it: counters, addresses, and, if it is secure, keys.
struct SessionState: Sendable {
    struct Security: Sendable {
        var outgoing: MessageSecurity
        var incoming: MessageSecurity
        var peerSessionID: UInt16
        var counter: MessageCounter
    }

    /// `nil` on unsecured sessions.
    var security: Security?
    var window: ReceptionWindow
    var reliability: ReliabilityParameters
    /// Where to send: one address once the peer has been heard, several candidates before.
    var addresses: [PeerAddress]
    /// True if the address stays: on a handshake that we began, the first to answer is the peer. One of several
    /// candidates may be another device's by now, and answers as well.
    var isSettled = false
    /// True if a message counts only after its reader has accepted it: on a handshake that we began, anybody who saw
    /// our message can answer it, and only the handshake can tell who is the peer.
    var isJudged = false
    /// How long the peer takes to acknowledge, once it was measured.
    var roundTrip: RoundTrip?
    /// The next exchange id of ours on this session, if it is not the one of the engine: other processes use others.
    var nextExchangeID: UInt16?
    /// When an authentic, new message last came in.
    var lastHeard: Instant?
    /// When the peer last acknowledged something of ours; the end of the handshake at first.
    var lastAcknowledged: Instant?
    /// True if the peer counts as awake before it was ever heard (PASE: its button was just pressed).
    var presumedActive = false

    init(
        unsecuredTo addresses: [PeerAddress], reliability: ReliabilityParameters, presumedActive: Bool,
        isJudged: Bool = false
    ) {
        window = ReceptionWindow(.unsecured)
        self.reliability = reliability
        self.addresses = addresses
        self.presumedActive = presumedActive
        self.isJudged = isJudged
    }

    init(secure parameters: SecureSessionParameters, initialCounter: UInt32, now: Instant) throws(CryptoError) {
        let (own, peers) =
            parameters.role == .initiator
            ? (parameters.keys.i2r, parameters.keys.r2i) : (parameters.keys.r2i, parameters.keys.i2r)
        security = Security(
            outgoing: try MessageSecurity(key: own, senderNodeID: parameters.localNodeID),
            incoming: try MessageSecurity(key: peers, senderNodeID: parameters.peerNodeID),
            peerSessionID: parameters.peerSessionID,
            counter: MessageCounter(initial: initialCounter, rollsOver: false))
        window = ReceptionWindow(.secureUnicast)
        reliability = parameters.reliability
        addresses = [parameters.address]
        // The handshake has just ended, so the peer is awake.
        lastHeard = now
        lastAcknowledged = now
    }

    /// The interval that retransmissions start from right now.
    func retransmissionInterval(now: Instant) -> Duration {
        let isActive = lastHeard.map { now - $0 < reliability.activeThreshold } ?? presumedActive
        let interval = isActive ? reliability.activeInterval : reliability.idleInterval
        if interval > .zero { return interval }
        // A peer that says 0 would be given up before it could answer; it is treated as if it had said nothing.
        return isActive ? ReliabilityParameters.standard.activeInterval : ReliabilityParameters.standard.idleInterval
    }
}
