import MatterController
package import MatterState
import Synchronization

/// The contents of the journal at certain moments.
package final class Seen: Sendable {
    private let state = Mutex<[String: [PendingNode]]>([:])

    package init() {}

    package func note(_ moment: String, _ records: [PendingNode]) { state.withLock { $0[moment] = records } }
    package func has(_ moment: String) -> Bool { state.withLock { $0[moment] != nil } }
    package func records(_ moment: String) -> [PendingNode] { state.withLock { $0[moment] ?? [] } }
}
