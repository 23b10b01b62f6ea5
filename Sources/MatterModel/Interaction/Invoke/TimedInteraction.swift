/// The server's half of a timed interaction: whether a write or invoke is the one that was announced, and in time.
package struct TimedInteraction<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
    private var deadline: Instant?

    package init() {}

    /// Notes an announcement; answer it with a ``StatusResponse`` of success.
    package mutating func announce(_ request: TimedRequest, at now: Instant) {
        deadline = now.advanced(by: .milliseconds(Int64(request.timeout)))
    }

    /// Judges the request that follows on the exchange, or the first one if none was announced.
    ///
    /// - Parameter isTimed: the flag in the request.
    /// - Returns: success, or the status that answers the whole request.
    package mutating func check(isTimed: Bool, at now: Instant) -> IMStatus {
        let announced = deadline
        deadline = nil
        guard isTimed == (announced != nil) else { return .timedRequestMismatch }
        if let announced, now > announced { return .timeout }
        return .success
    }
}
