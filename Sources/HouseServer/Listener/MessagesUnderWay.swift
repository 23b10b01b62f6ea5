import Synchronization

/// Small messages that the event loop has and has not written yet. Their sender waits for none of them, which saves a change of
/// threads for each; a few at most, so that nothing grows.
final class MessagesUnderWay: Sendable {
    private struct State {
        var count = 0
        /// Whether one of them was not written, so that none will be.
        var isLost = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    static let most = 16
    static let mostBytes = 4096

    private let state = Mutex(State())

    /// - Returns: false for a message that has to be waited for.
    /// - Throws: ``ConnectionLost`` if one before it was lost.
    func admit(_ parts: [[UInt8]]) throws(ConnectionLost) -> Bool {
        let isSmall = parts.reduce(0) { $0 + $1.count } <= Self.mostBytes
        let (isLost, isAdmitted) = state.withLock { state in
            guard isSmall, !state.isLost, state.count < Self.most else { return (state.isLost, false) }
            state.count += 1
            return (false, true)
        }
        if isLost { throw ConnectionLost() }
        return isAdmitted
    }

    func leave(isOut: Bool) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            if !isOut { state.isLost = true }
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    /// Waits until none is left.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
