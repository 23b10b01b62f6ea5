/// How a peer wants to be treated by the Message Reliability Protocol (Matter core specification 4.12.8).
package struct ReliabilityParameters: Equatable, Sendable {
    /// SESSION_IDLE_INTERVAL: the wait before a retransmission to an idle peer.
    package var idleInterval: Duration
    /// SESSION_ACTIVE_INTERVAL: the same for a peer that is awake.
    package var activeInterval: Duration
    /// SESSION_ACTIVE_THRESHOLD: how long a peer stays awake after it was last heard.
    package var activeThreshold: Duration

    // memberwise: package, idleInterval = .milliseconds(500), activeInterval = .milliseconds(300),
    //     activeThreshold = .milliseconds(4000)

    /// The parameters of a peer that states none.
    package static let standard = ReliabilityParameters()

    /// The longest interval that may be advertised.
    package static let maximumInterval = Duration.milliseconds(3_600_000)
}

/// The back-off of the Message Reliability Protocol (Matter core specification 4.12.2.1).
package enum RetransmissionSchedule {
    /// The first transmission and four more.
    static let maximumTransmissions = 5
    /// How long an acknowledgement may wait for a message to ride on.
    static let standaloneAckDelay = Duration.milliseconds(200)

    /// Peers may advertise an interval of 0; five transmissions in no time would not help.
    private static let shortestInterval = Duration.milliseconds(10)

    private static let margin = 1.1
    private static let base = 1.6
    private static let threshold = 1
    private static let jitter = 0.25

    /// The wait after a transmission before the next.
    ///
    /// - Parameters:
    ///   - transmissions: how many have been made, at least 1.
    ///   - interval: the peer's idle or active interval.
    ///   - jitter: uniformly random in 0…1.
    package static func wait(after transmissions: Int, interval: Duration, jitter: Double) -> Duration {
        let interval = max(interval, shortestInterval)
        let exponent = max(0, transmissions - 1 - threshold)
        var factor = margin * (1 + min(max(jitter, 0), 1) * Self.jitter)
        for _ in 0..<exponent { factor *= base }
        return interval * factor
    }

    /// The longest that a message may remain without acknowledgement before it is given up.
    package static func longestTotal(interval: Duration) -> Duration { longestTotal { _ in interval } }

    /// The interval if it depends on the age of the first transmission.
    static func longestTotal(interval: (_ elapsed: Duration) -> Duration) -> Duration {
        (1...maximumTransmissions).reduce(.zero) { $0 + wait(after: $1, interval: interval($0), jitter: 1) }
    }
}
