import MatterBase
import MatterModel
import Synchronization

/// A list that comes in pieces.
final class Collected: Sendable {
    private let state = Mutex((items: [TLVValue](), messages: 0))

    var items: [TLVValue] { state.withLock { $0.items } }
    var messages: Int { state.withLock { $0.messages } }

    func add(_ change: WriteOperation.Change) {
        state.withLock { state in
            state.messages += 1
            switch change {
            case .replace(.array(let items)): state.items = items.map(\.value)
            case .append(let items): state.items += items
            default: break
            }
        }
    }
}
