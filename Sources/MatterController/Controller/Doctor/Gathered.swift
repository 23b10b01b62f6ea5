import MatterState
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

/// A search that goes on until its time is up: whatever answers, answers soon.
struct TimedSearch: Sendable {
    let time: any TimeSource

    /// How long border routers and nodes are looked for.
    private static let span = Duration.milliseconds(1500)

    /// The border routers on this network, by their names.
    ///
    /// - Returns: `nil` if the search failed.
    func borderRouters(_ discovery: any Discovery) async throws -> [BorderRouter]? {
        let found = Gathered<String, BorderRouter>()
        let isWhole = try await run {
            for try await event in discovery.browseBorderRouters() {
                if case .found(let router) = event { found[router.instance] = router }
            }
        }
        return isWhole ? found.all.sorted { $0.instance < $1.instance } : nil
    }

    /// Runs something that goes on until it is told to end.
    ///
    /// - Returns: false if it failed.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask {
                do {
                    try await body()
                    return nil
                } catch is CancellationError {
                    return nil
                } catch {
                    return false
                }
            }
            group.addTask { [time] in
                try await time.sleep(for: Self.span)
                return true
            }
            let first = try await group.next().flatMap { $0 }
            group.cancelAll()
            return first ?? true
        }
    }
}
