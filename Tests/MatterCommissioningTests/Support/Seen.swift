import MatterCommissioning
import Synchronization

/// What the journal held at certain moments.
final class Seen: Sendable {
    private let state = Mutex<[String: [PendingNode]]>([:])

    func note(_ moment: String, _ records: [PendingNode]) { state.withLock { $0[moment] = records } }
    func has(_ moment: String) -> Bool { state.withLock { $0[moment] != nil } }
    func records(_ moment: String) -> [PendingNode] { state.withLock { $0[moment] ?? [] } }
}
