import Synchronization

/// A result that comes once: from the bus, from a timer or from a cancellation, whichever is first.
///
/// It does not depend on the thread of the bus, so a bus that hangs keeps no caller beyond the time limit.
final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, Never>?
        var timer: ScheduledWork?
        var result: Value?
    }

    private let state = Mutex(State())

    /// Gives the result; does nothing if there is one.
    func finish(_ value: Value) {
        let (continuation, timer) = state.withLock { state -> (CheckedContinuation<Value, Never>?, ScheduledWork?) in
            guard state.result == nil else { return (nil, nil) }
            state.result = value
            defer { (state.continuation, state.timer) = (nil, nil) }
            return (state.continuation, state.timer)
        }
        timer?.cancel()
        continuation?.resume(returning: value)
    }

    var isFinished: Bool { state.withLock { $0.result != nil } }

    /// Waits for the result. To be called once.
    ///
    /// - Parameters:
    ///   - limit: after this long the result is `late`; `nil` for no limit.
    ///   - cancelled: the result if the task is cancelled.
    func value(within limit: Duration?, _ time: any TimeSource, late: Value, cancelled: Value) async -> Value {
        if let limit {
            let timer = time.eventLoop.schedule(in: limit) { self.finish(late) }
            let isOver = state.withLock { state in
                state.timer = timer
                return state.result != nil
            }
            if isOver { timer.cancel() }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.continuation = continuation }
                    return state.result
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            finish(cancelled)
        }
    }
}
