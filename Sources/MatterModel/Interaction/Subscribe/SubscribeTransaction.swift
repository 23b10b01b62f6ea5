/// A subscription as it was agreed upon.
package struct Subscription: Hashable, Sendable {
    package var id: UInt32
    /// The most time between reports, in seconds.
    package var maxInterval: UInt16
    /// The publisher's first report: everything that was requested.
    package var reports: ReadResult
}

/// The subscriber's half of setting up a subscription: the request, the first report, the publisher's response.
package struct SubscribeTransaction: InteractionTransaction {
    private enum State { case ready, reporting, reported, finished, failed }

    private let request: SubscribeRequest
    private var reports: ReportAccumulator
    private var state = State.ready
    private var id: UInt32?
    private var maxInterval: UInt16?

    /// - Parameter limits: what the publisher may report at most.
    package init(_ request: SubscribeRequest, limits: ReportLimits = .standard) {
        self.request = request
        reports = ReportAccumulator(limits: limits)
    }

    package var output: Subscription? {
        guard state == .finished, let id, let maxInterval else { return nil }
        return Subscription(id: id, maxInterval: maxInterval, reports: reports.result)
    }

    package mutating func start(maxPayload: Int) throws(InteractionError) -> InteractionAction {
        guard state == .ready else { throw .misused }
        state = .failed
        try request.check(maxPayload: maxPayload)
        state = .reporting
        return request.sent(expectsReply: true)
    }

    package mutating func handle(opcode: UInt8, payload: [UInt8]) throws(InteractionError) -> InteractionAction {
        switch state {
        case .reporting:
            state = .failed
            guard opcode == ReportData.opcode.rawValue else {
                throw .insteadOf(.reportData, to: .subscribeRequest, opcode: opcode, payload: payload)
            }
            return try handle(try ReportData(decoding: payload), size: payload.count)
        case .reported:
            state = .failed
            guard opcode == SubscribeResponse.opcode.rawValue else {
                throw .insteadOf(.subscribeResponse, to: .subscribeRequest, opcode: opcode, payload: payload)
            }
            let response = try SubscribeResponse(decoding: payload)
            guard response.subscriptionID == id else {
                throw InteractionError(
                    .invalidSubscription, "a SubscribeResponse for another subscription than was reported",
                    opcode: opcode)
            }
            maxInterval = response.maxInterval
            state = .finished
            return .finished
        case .ready, .finished, .failed:
            throw .notUnderWay(opcode)
        }
    }

    private mutating func handle(_ report: ReportData, size: Int) throws(InteractionError) -> InteractionAction {
        guard let reported = report.subscriptionID else {
            throw .violation("a report without a subscription id", .reportData)
        }
        guard id == nil || id == reported else {
            throw InteractionError(
                .invalidSubscription, "a report whose subscription id changed midway",
                opcode: ReportData.opcode.rawValue)
        }
        id = reported
        try reports.add(report, size: size)
        state = report.hasMoreChunks ? .reporting : .reported
        return report.suppressesResponse && !report.hasMoreChunks
            ? .wait : StatusResponse(.success).sent(expectsReply: true)
    }
}
