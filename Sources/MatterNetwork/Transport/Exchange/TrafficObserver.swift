package import MatterCrypto

/// Sees every message of a process as it is on the wire, and the keys that open it. Called on the event loop, where it must
/// not wait.
package protocol TrafficObserver: Sendable {
    /// - Parameter port: our own.
    func sent(_ message: [UInt8], to peer: PeerAddress, from port: UInt16)
    /// - Parameter port: our own.
    func received(_ message: [UInt8], from peer: PeerAddress, at port: UInt16)
    /// A secure session stands, or is taken over from an earlier process.
    func established(_ session: SecureSessionParameters)
    /// A handshake begins. It is told before its Sigma1 is sent.
    func offers(_ offer: HandshakeOffer)
    /// The keys of a handshake that has set up a session. It is told before the session itself.
    func agreed(on secrets: HandshakeSecrets)
    /// A message is about to be sent under a group key.
    func uses(_ key: GroupMessageSecurity)
}

/// A CASE handshake that waits for its answer: with it, the answer can be opened before the handshake is over, and also one that
/// the initiator refuses.
package struct HandshakeOffer: Sendable {
    /// The random number of Sigma1, which tells handshakes apart.
    package var initiatorRandom: [UInt8]
    /// The keys that an answer leads to; `nil` for one that is not a Sigma2.
    package var secrets: @Sendable (_ sigma2: [UInt8]) -> HandshakeSecrets?
}

/// The keys of what Sigma2 and Sigma3 of one handshake encrypt (Matter core specification, 4.14.2.6).
package struct HandshakeSecrets: Sendable {
    /// The random number of Sigma1, which tells handshakes apart.
    package var initiatorRandom: [UInt8]
    package var sigma2: SecretBytes
    package var sigma3: SecretBytes

    // memberwise: package
}
