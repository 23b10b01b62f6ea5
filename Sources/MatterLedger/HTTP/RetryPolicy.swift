/// When a call is tried again, and after what pause.
///
/// Idempotent calls are after a lost connection or an answer that says that the server is in trouble. A call that was
/// refused because there were too many (429) has done nothing: it is repeated too, unless it is not idempotent and the
/// server names no time.
public struct RetryPolicy: Sendable, Equatable {
    /// How often a call is tried at most.
    package var attempts: Int
    /// The pause before the second attempt; each further one is twice as long.
    var firstPause: Duration
    package var longestPause: Duration
    /// The longest pause that a server may ask for; one that asks for more means: not now.
    var longestWait: Duration

    // memberwise: package, attempts = 4, firstPause = .milliseconds(250), longestPause = .seconds(5),
    //     longestWait = .seconds(20)

    /// The default time limit of requests.
    public static let standard = RetryPolicy()
    /// One attempt.
    public static let none = RetryPolicy(attempts: 1)

    /// The outcome of an attempt.
    package enum Outcome: Sendable {
        case answered(HTTPResponse)
        case failed(HTTPError)
    }

    /// The pause before the next attempt; `nil` to leave it at this outcome.
    ///
    /// - Parameters:
    ///   - attempt: the number of the attempt that has just ended, from 1.
    ///   - jitter: a random number from 0 to 1, so that many clients do not come back at once.
    package func pause(
        after outcome: Outcome, of request: HTTPRequest, attempt: Int, jitter: Double
    ) -> Duration? {
        guard attempt < attempts else { return nil }
        var pause = firstPause
        for _ in 1..<max(1, attempt) { pause = min(pause * 2, longestPause) }
        pause = pause * (0.75 + 0.5 * min(max(jitter, 0), 1))
        switch outcome {
        case .failed(let error):
            return request.isIdempotent && error.isLossOfConnection ? min(pause, longestPause) : nil
        case .answered(let response):
            let asked = response.retryAfter
            guard mayRepeat(request, after: response, isInvited: asked != nil) else { return nil }
            if let asked { return asked <= longestWait ? max(asked, pause) : nil }
            return min(pause, longestPause)
        }
    }

    private func mayRepeat(_ request: HTTPRequest, after response: HTTPResponse, isInvited: Bool) -> Bool {
        switch response.status {
        case 429: request.isIdempotent || isInvited
        case 501: false
        case 500...599: request.isIdempotent
        default: false
        }
    }
}
