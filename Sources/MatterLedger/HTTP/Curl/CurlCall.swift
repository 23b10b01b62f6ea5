import Synchronization

/// A request on its way: it is answered once, with the first result.
final class CurlCall: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<HTTPResponse, any Error>)
        case over(Result<HTTPResponse, any Error>)
    }

    let request: HTTPRequest
    let url: BaseURL
    let deadline: ContinuousClock.Instant
    private let state = Mutex(State.new)

    init(_ request: HTTPRequest, to url: BaseURL, deadline: ContinuousClock.Instant) {
        self.request = request
        self.url = url
        self.deadline = deadline
    }

    var isOver: Bool {
        state.withLock { if case .over = $0 { true } else { false } }
    }

    /// - Parameter continuation: gets the answer, at once if there is one already.
    func wait(_ continuation: CheckedContinuation<HTTPResponse, any Error>) {
        let early = state.withLock { state in
            if case .over(let result) = state { return Optional(result) }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(with: early) }
    }

    /// Answers the call, unless it is answered.
    func finish(_ result: Result<HTTPResponse, any Error>) {
        let waiting: CheckedContinuation<HTTPResponse, any Error>? = state.withLock { state in
            guard case .waiting(let continuation) = state else {
                if case .new = state { state = .over(result) }
                return nil
            }
            state = .over(result)
            return continuation
        }
        waiting?.resume(with: result)
    }
}
