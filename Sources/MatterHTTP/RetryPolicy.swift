/// When a call is tried again, and after what pause.
///
/// Only idempotent calls are, and only after a lost connection or an answer that says that the server is in trouble.
package struct RetryPolicy: Sendable, Equatable {
    /// How often a call is tried at most.
    package var attempts: Int
    /// The pause before the second attempt; each further one is twice as long.
    package var firstPause: Duration
    package var longestPause: Duration

    package init(
        attempts: Int = 4, firstPause: Duration = .milliseconds(250), longestPause: Duration = .seconds(5)
    ) {
        self.attempts = attempts
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    package static let standard = RetryPolicy()
    package static let none = RetryPolicy(attempts: 1)

    /// What came of an attempt.
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
        guard request.isIdempotent, attempt < attempts else { return nil }
        var pause = firstPause
        for _ in 1..<max(1, attempt) { pause = min(pause * 2, longestPause) }
        pause = pause * (0.75 + 0.5 * min(max(jitter, 0), 1))
        switch outcome {
        case .failed(let error):
            return error.isLossOfConnection ? min(pause, longestPause) : nil
        case .answered(let response):
            guard (500...599).contains(response.status), response.status != 501 else { return nil }
            // A server that names a time longer than we would ever wait means: not now.
            if let asked = response.retryAfter { return asked <= longestPause ? max(asked, pause) : nil }
            return min(pause, longestPause)
        }
    }
}
