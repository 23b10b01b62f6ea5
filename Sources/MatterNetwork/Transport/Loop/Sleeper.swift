import Synchronization

/// One sleep: it ends once, however many want to end it.
final class Sleeper: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var timer: ScheduledWork?
        var result: Result<Void, any Error>?
    }

    private let state = Mutex(State())

    /// The timer that ends it in time; cancelled where it has ended already.
    var timer: ScheduledWork? {
        get { state.withLock { $0.timer } }
        set {
            let isOver = state.withLock { state in
                state.timer = newValue
                return state.result != nil
            }
            if isOver { newValue?.cancel() }
        }
    }

    /// - Returns: whether it is to wait for its end.
    func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        let result = state.withLock { state in
            if state.result == nil { state.continuation = continuation }
            return state.result
        }
        if let result { continuation.resume(with: result) }
        return result == nil
    }

    func end(_ result: Result<Void, any Error>) {
        let (continuation, timer) = state.withLock { state in
            defer { (state.continuation, state.timer) = (nil, nil) }
            if state.result == nil { state.result = result }
            return (state.continuation, state.timer)
        }
        continuation?.resume(with: result)
        timer?.cancel()
    }
}
