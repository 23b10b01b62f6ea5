import Synchronization

/// Wakes those who wait for something to change, so that they look at it again. No task has to look at a clock.
///
/// Who waits takes a mark, looks, and waits after the mark: a change between the two is not missed.
package final class ChangeSignal: Sendable {
    /// A place among the changes.
    package struct Mark: Sendable {
        fileprivate let count: UInt64
    }

    private struct State {
        var count: UInt64 = 0
        var next: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The place of now.
    package var mark: Mark { Mark(count: state.withLock(\.count)) }

    /// How many wait.
    package var waiting: Int { state.withLock(\.waiting.count) }

    /// Says that something has changed.
    package func fire() {
        let woken = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until something has changed since the mark; until the deadline at the latest, or until the task is cancelled.
    package func wait(after mark: Mark, until deadline: Instant, of time: any TimeSource) async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let timer = time.start { [weak self] in
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            self?.wake(id)
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // The timer and the handler find no task to wake if they come before this.
                    guard state.count == mark.count, time.now < deadline, !Task.isCancelled else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            wake(id)
        }
    }

    private func wake(_ id: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }
}
