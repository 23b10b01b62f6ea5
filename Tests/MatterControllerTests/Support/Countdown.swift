import Synchronization

/// Says no some times, then yes.
final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func isOver() -> Bool {
        left.withLock { left in
            defer { left -= 1 }
            return left <= 0
        }
    }
}
