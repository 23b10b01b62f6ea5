import Synchronization

/// The turns of examinations under way at a time: a case that measures times has the machine and the network for itself, and the
/// others run beside each other.
///
/// Turns are given in the order in which they were asked for, so that a case that is to run alone is not put off for ever.
final class CheckTurns: Sendable {
    private struct Waiter {
        var number: Int
        var isAlone: Bool
        /// Told `false` if its task was cancelled.
        var begin: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var beside = 0
        var isAlone = false
        var waiters: [Waiter] = []
        var last = 0

        /// Those whose turn it is now.
        mutating func admitted() -> [Waiter] {
            var ready: [Waiter] = []
            while let first = waiters.first, !isAlone, !first.isAlone || beside == 0 {
                waiters.removeFirst()
                if first.isAlone { isAlone = true } else { beside += 1 }
                ready.append(first)
            }
            return ready
        }
    }

    private let state = Mutex(State())

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiters.count } }

    /// Waits for a turn, which ``give(isAlone:)`` ends.
    ///
    /// - Throws: `CancellationError`; there is no turn then.
    func take(isAlone: Bool) async throws(CancellationError) {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let hasTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { begin in
                let ready = state.withLock { state -> [Waiter]? in
                    // A cancellation that came first has found nothing to end.
                    guard !Task.isCancelled else { return nil }
                    state.waiters.append(Waiter(number: number, isAlone: isAlone, begin: begin))
                    return state.admitted()
                }
                guard let ready else { return begin.resume(returning: false) }
                for waiter in ready { waiter.begin.resume(returning: true) }
            }
        } onCancel: {
            let (dropped, ready) = state.withLock { state -> (Waiter?, [Waiter]) in
                guard let place = state.waiters.firstIndex(where: { $0.number == number }) else { return (nil, []) }
                let dropped = state.waiters.remove(at: place)
                // Others may have waited for it.
                return (dropped, state.admitted())
            }
            dropped?.begin.resume(returning: false)
            for waiter in ready { waiter.begin.resume(returning: true) }
        }
        guard hasTurn else { throw CancellationError() }
    }

    /// Ends a turn.
    func give(isAlone: Bool) {
        let ready = state.withLock { state in
            if isAlone { state.isAlone = false } else { state.beside -= 1 }
            return state.admitted()
        }
        for waiter in ready { waiter.begin.resume(returning: true) }
    }
}
