import Synchronization

/// Hands lost peers on to those who ask for them, those from before the question too.
final class LossReport: Sendable {
    typealias Handler = @Sendable (PeerAddress, TransportError) -> Void

    private struct State {
        var handler: Handler?
        var waiting: [(PeerAddress, TransportError)] = []
    }

    private let state = Mutex(State())

    func hand(to handler: @escaping Handler) {
        let waiting = state.withLock { state in
            state.handler = handler
            defer { state.waiting = [] }
            return state.waiting
        }
        for (peer, error) in waiting { handler(peer, error) }
    }

    func report(_ peer: PeerAddress, _ error: TransportError) {
        let handler = state.withLock { state in
            if state.handler == nil { state.waiting.append((peer, error)) }
            return state.handler
        }
        handler?(peer, error)
    }
}
