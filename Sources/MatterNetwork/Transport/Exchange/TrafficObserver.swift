/// Sees every message of a process as it is on the wire, and the keys that open it. Called on the event loop, where it must
/// not wait.
package protocol TrafficObserver: Sendable {
    /// - Parameter port: our own.
    func sent(_ message: [UInt8], to peer: PeerAddress, from port: UInt16)
    /// - Parameter port: our own.
    func received(_ message: [UInt8], from peer: PeerAddress, at port: UInt16)
    /// A secure session stands, or is taken over from an earlier process.
    func established(_ session: SecureSessionParameters)
    /// A message is about to be sent under a group key.
    func uses(_ key: GroupMessageSecurity)
}
