import NIOCore
import Synchronization

/// The WebSocket of a connection, for those who are not on its event loop.
struct ChannelSocket: MessageSocket {
    private let handler: NIOLoopBound<WebSocketHandler>
    private let underWay = MessagesUnderWay()

    /// On the event loop only.
    init(_ handler: WebSocketHandler, on eventLoop: any NIOCore.EventLoop) {
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    func next() async -> [UInt8]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                handler.eventLoop.execute { handler.value.give(continuation) }
            }
        } onCancel: {
            handler.eventLoop.execute { handler.value.stopGiving() }
        }
    }

    func send(_ parts: [[UInt8]]) async throws {
        if try underWay.admit(parts) {
            return handler.eventLoop.execute { handler.value.send(parts) { underWay.leave(isOut: $0) } }
        }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            handler.eventLoop.execute {
                handler.value.send(parts) { isOut in
                    if isOut { continuation.resume() } else { continuation.resume(throwing: ConnectionLost()) }
                }
            }
        }
    }

    func close(code: UInt16) async {
        await underWay.wait()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            handler.eventLoop.execute {
                handler.value.close(code)
                continuation.resume()
            }
        }
    }
}

/// Small messages that the event loop has and has not written yet. Their sender waits for none of them, which saves a change of
/// threads for each; a few at most, so that nothing grows.
private final class MessagesUnderWay: Sendable {
    private struct State {
        var count = 0
        /// Whether one of them was not written, so that none will be.
        var isLost = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let most = 16
    private static let mostBytes = 4096

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

/// The connection of a WebSocket is gone.
struct ConnectionLost: Error {}
