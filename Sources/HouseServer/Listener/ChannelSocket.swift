import NIOCore

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

/// The connection of a WebSocket is gone.
struct ConnectionLost: Error {}
