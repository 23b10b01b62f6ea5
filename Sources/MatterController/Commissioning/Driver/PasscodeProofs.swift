import MatterNetwork
import Synchronization

/// The devices that we have proved the passcode to, and that have not refused: each may have opened a session for us, and
/// takes no other commissioner then until it gives that up.
final class PasscodeProofs: Sendable {
    /// How long a device holds a session over which nothing comes (Matter core specification 11.10.6.2).
    static let hold = Duration.seconds(60)

    private let sent = Mutex<[UInt16: Instant]>([:])

    /// - Parameter handshake: the local session id of the handshake.
    func note(_ handshake: UInt16, at now: Instant) { sent.withLock { $0[handshake] = now } }

    /// The device has refused.
    func remove(_ handshake: UInt16) { sent.withLock { $0[handshake] = nil } }

    /// True if a device may hold a session for us.
    func mayHold(at now: Instant) -> Bool {
        sent.withLock { sent in sent.values.contains { now - $0 < Self.hold } }
    }
}
