/// The sender's half of a report, message by message: the answer to a read or subscribe request, or a subscription's
/// later report on an exchange of its own.
package struct ReportResponder: InteractionTransaction {
    private enum State { case ready, sending, confirming, finished, failed }

    private let attributes: [AttributeReportIB]
    private let events: [EventReportIB]
    private let subscriptionID: UInt32?
    private let response: SubscribeResponse?
    /// The rest to send; `nil` before the start.
    private var chunks: ReportDataChunker?
    private var state = State.ready

    /// The answer to a ReadRequest.
    package static func read(
        attributes: [AttributeReportIB], events: [EventReportIB] = []
    ) -> ReportResponder {
        ReportResponder(attributes, events, subscriptionID: nil, response: nil)
    }

    /// The answer to a SubscribeRequest.
    package static func subscribe(
        _ response: SubscribeResponse, attributes: [AttributeReportIB], events: [EventReportIB] = []
    ) -> ReportResponder {
        ReportResponder(attributes, events, subscriptionID: response.subscriptionID, response: response)
    }

    /// A later report of a subscription; without attributes and events it only says that the publisher is alive.
    package static func report(
        subscriptionID: UInt32, attributes: [AttributeReportIB], events: [EventReportIB] = []
    ) -> ReportResponder {
        ReportResponder(attributes, events, subscriptionID: subscriptionID, response: nil)
    }

    private init(
        _ attributes: [AttributeReportIB], _ events: [EventReportIB], subscriptionID: UInt32?,
        response: SubscribeResponse?
    ) {
        self.attributes = attributes
        self.events = events
        self.subscriptionID = subscriptionID
        self.response = response
    }

    /// A read ends with its last report; a report of a subscription wants an answer.
    private var endsWithoutAnswer: Bool { subscriptionID == nil }

    /// There once the receiver has taken everything.
    package var output: Void? { state == .finished ? () : nil }

    package mutating func start(maxPayload: Int) throws(InteractionError) -> InteractionAction {
        guard state == .ready else { throw .misused }
        chunks = try ReportDataChunker(
            attributes: attributes, events: events, subscriptionID: subscriptionID,
            suppressesLastResponse: endsWithoutAnswer, maxPayload: maxPayload)
        return sendNext()
    }

    package mutating func handle(opcode: UInt8, payload: [UInt8]) throws(InteractionError) -> InteractionAction {
        guard state == .sending || state == .confirming else { throw .notUnderWay(opcode) }
        let isDone = state == .confirming
        state = .failed
        guard opcode == StatusResponse.opcode.rawValue else { throw .unexpected(opcode, waitingFor: .statusResponse) }
        let status = try StatusResponse(decoding: payload).status
        guard status == .success else { throw .refused(status, .reportData) }
        guard isDone else { return sendNext() }
        state = .finished
        return response?.sent(expectsReply: false) ?? .finished
    }

    private mutating func sendNext() -> InteractionAction {
        guard let chunk = chunks?.next() else {
            state = .finished
            return .finished
        }
        if !chunk.isLast {
            state = .sending
        } else {
            state = endsWithoutAnswer ? .finished : .confirming
        }
        return .send(opcode: .reportData, payload: chunk.payload, expectsReply: state != .finished)
    }
}
