import Synchronization

/// A limit to how much of one kind goes on at a time; who comes first is served first.
package final class Turns: Sendable {
    private struct State {
        var free: Int
        var next: UInt64 = 0
        var waiting: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state: Mutex<State>

    /// - Parameter limit: how much may go on at a time, at least 1.
    package init(limit: Int) { state = Mutex(State(free: max(1, limit))) }

    /// How many wait for their turn.
    package var waiting: Int { state.withLock { $0.waiting.count } }

    /// Waits for a turn, which ends at the latest after some time: work that leads nowhere must not keep others waiting.
    ///
    /// - Throws: `CancellationError`.
    package func take(for longest: Duration, of time: any TimeSource) async throws -> Turn {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.free > 0 else {
                        state.waiting.append((id, continuation))
                        return nil
                    }
                    state.free -= 1
                    return true
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            waiter?.resume(returning: false)
        }
        guard isGranted else { throw CancellationError() }
        return Turn(self, longest, time)
    }

    fileprivate func giveBack() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }
}

/// The permission to go on; given back when it is passed on, when its time is over, or when it is no longer referred to.
package final class Turn: Sendable {
    private let turns: Mutex<Turns?>
    private let timer = Mutex<Task<Void, Never>?>(nil)

    fileprivate init(_ turns: Turns, _ longest: Duration, _ time: any TimeSource) {
        self.turns = Mutex(turns)
        let task = time.start { [weak self] in
            guard (try? await time.sleep(for: longest)) != nil else { return }
            self?.pass()
        }
        timer.withLock { $0 = task }
    }

    deinit { pass() }

    /// Lets the next one go on.
    package func pass() {
        timer.withLock { $0 }?.cancel()
        let turns = turns.withLock { turns in
            defer { turns = nil }
            return turns
        }
        turns?.giveBack()
    }
}
