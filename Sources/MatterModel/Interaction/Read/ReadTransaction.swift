/// The client's half of a read: one ReadRequest, reports in as many messages as the peer needs.
package struct ReadTransaction: InteractionTransaction {
    private enum State { case ready, reading, finished, failed }

    private let request: ReadRequest
    private var reports: ReportAccumulator
    private var state = State.ready

    /// - Parameters:
    ///   - request: at most as many paths as the peer accepts; see ``ReadRequest/split(maxPaths:maxPayload:)``.
    ///   - limits: what the peer may report at most.
    package init(_ request: ReadRequest, limits: ReportLimits = .standard) {
        self.request = request
        reports = ReportAccumulator(limits: limits)
    }

    package var output: ReadResult? { state == .finished ? reports.result : nil }

    package mutating func start(maxPayload: Int) throws(InteractionError) -> InteractionAction {
        guard state == .ready else { throw .misused }
        state = .failed
        try request.check(maxPayload: maxPayload)
        state = .reading
        return request.sent(expectsReply: true)
    }

    package mutating func handle(opcode: UInt8, payload: [UInt8]) throws(InteractionError) -> InteractionAction {
        guard state == .reading else { throw .notUnderWay(opcode) }
        state = .failed
        guard opcode == ReportData.opcode.rawValue else {
            throw .insteadOf(.reportData, to: .readRequest, opcode: opcode, payload: payload)
        }
        let report = try ReportData(decoding: payload)
        guard report.subscriptionID == nil else {
            throw .violation("a subscription's report as the answer to a read", .reportData)
        }
        try reports.add(report, size: payload.count)
        if report.hasMoreChunks {
            state = .reading
            // Some nodes set SuppressResponse here too, yet wait for the answer before they go on.
            return StatusResponse(.success).sent(expectsReply: true)
        }
        state = .finished
        return report.suppressesResponse ? .finished : StatusResponse(.success).sent(expectsReply: false)
    }
}
