/// The subscriber's half of a running subscription: takes its reports and knows when to give it up.
///
/// Each report comes on an exchange of its own, opened by the publisher.
package struct SubscriptionState<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
    package let id: UInt32
    /// How long after a report the next one is overdue: the agreed interval, the publisher's whole retransmission
    /// schedule and its time for processing.
    let livenessTimeout: Duration
    /// When the subscription is to be taken for dead.
    package private(set) var deadline: Instant
    /// The filters for subscribing again, so that only changes are reported.
    package private(set) var dataVersionFilters: [DataVersionFilter]
    /// The event number after the last one reported.
    package private(set) var nextEventNumber: UInt64?

    private let limits: ReportLimits
    private var reports: ReportAccumulator

    /// - Parameters:
    ///   - maximumRoundTrip: how long the publisher may retransmit one message, taken to be idle.
    ///   - now: when the publisher's response came.
    package init(
        _ subscription: Subscription, maximumRoundTrip: Duration, now: Instant, limits: ReportLimits = .standard
    ) {
        id = subscription.id
        livenessTimeout = .seconds(Int64(subscription.maxInterval)) + maximumRoundTrip + .seconds(2)
        deadline = now.advanced(by: livenessTimeout)
        dataVersionFilters = subscription.reports.dataVersionFilters
        nextEventNumber = subscription.reports.lastEventNumber.map { $0 &+ 1 }
        self.limits = limits
        reports = ReportAccumulator(limits: limits)
    }

    package func isExpired(at now: Instant) -> Bool { now >= deadline }

    /// Forgets a report that broke off; call it when the publisher opens another exchange.
    package mutating func beginReport() {
        reports = ReportAccumulator(limits: limits)
    }

    /// Takes one message of a report.
    ///
    /// - Returns: the action for the exchange, and the report once it is complete.
    /// - Throws: ``InteractionError``; send its ``InteractionError/statusForPeer`` and give the subscription up, unless
    ///   the id was another subscription's.
    package mutating func handle(
        opcode: UInt8, payload: [UInt8], at now: Instant
    ) throws(InteractionError) -> (action: InteractionAction, report: ReadResult?) {
        guard opcode == ReportData.opcode.rawValue else { throw .unexpected(opcode, waitingFor: .reportData) }
        let message = try ReportData(decoding: payload)
        guard message.subscriptionID == id else {
            throw InteractionError(.invalidSubscription, "a report for an unknown subscription", opcode: opcode)
        }
        try reports.add(message, size: payload.count)
        deadline = now.advanced(by: livenessTimeout)
        if message.hasMoreChunks { return (StatusResponse(.success).sent(expectsReply: true), nil) }
        let report = reports.result
        beginReport()
        remember(report)
        return (message.suppressesResponse ? .finished : StatusResponse(.success).sent(expectsReply: false), report)
    }

    private mutating func remember(_ report: ReadResult) {
        for filter in report.dataVersionFilters {
            if let position = dataVersionFilters.firstIndex(where: { $0.path == filter.path }) {
                dataVersionFilters[position] = filter
            } else {
                dataVersionFilters.append(filter)
            }
        }
        if let last = report.lastEventNumber { nextEventNumber = max(nextEventNumber ?? 0, last &+ 1) }
    }
}

/// How long to wait before subscribing again.
package enum ResubscribeBackoff {
    private static let step = Duration.seconds(10)
    private static let longest = Duration.seconds(5_538)
    private static let steps = 14

    /// - Parameters:
    ///   - attempt: how many attempts have failed since the subscription was last alive.
    ///   - jitter: a random number from 0 to 1.
    package static func delay(attempt: Int, jitter: Double) -> Duration {
        var (number, next) = (0, 1)
        for _ in 0..<min(max(attempt, 0), steps) { (number, next) = (next, number + next) }
        return min(step * number, longest) * (0.3 + 0.7 * min(max(jitter, 0), 1))
    }
}
