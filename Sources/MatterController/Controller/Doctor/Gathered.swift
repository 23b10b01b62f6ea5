import Synchronization

/// Findings by their names, while a search goes on.
final class Gathered<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values = Mutex<[Key: Value]>([:])

    subscript(key: Key) -> Value? {
        get { values.withLock { $0[key] } }
        set { values.withLock { $0[key] = newValue } }
    }

    var all: [Value] { values.withLock { Array($0.values) } }
}
