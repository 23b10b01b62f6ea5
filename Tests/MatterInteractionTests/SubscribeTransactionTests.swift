import MatterBase
import TestSupport
import Testing

@testable import MatterModel

private let onOff = ConcreteAttributePath(endpoint: 1, cluster: 6, attribute: 0)

private func report(
    _ id: UInt32? = 7, _ value: Bool = true, version: UInt32 = 1, more: Bool = false, suppress: Bool = false
)
    -> ReportData
{
    ReportData(
        subscriptionID: id,
        attributes: [.data(AttributeDataIB(dataVersion: version, path: AttributePath(onOff), data: .bool(value)))],
        hasMoreChunks: more, suppressesResponse: suppress)
}

@Suite("SubscribeTransaction")
struct SubscribeTransactionTests {
    private func started() throws -> SubscribeTransaction {
        var transaction = SubscribeTransaction(
            SubscribeRequest(minIntervalFloor: 0, maxIntervalCeiling: 60, attributePaths: [AttributePath(onOff)]))
        let message = try sent(try transaction.start())
        #expect(message.opcode == .subscribeRequest)
        #expect(message.expectsReply)
        return transaction
    }

    @Test("every report is answered, the last one too; the response completes the subscription")
    func priming() throws {
        var transaction = try started()
        #expect(try transaction.handle(report(more: true)) == .goOn(expectsReply: true))
        #expect(try transaction.handle(report(more: true, suppress: true)) == .goOn(expectsReply: true))
        #expect(try transaction.handle(report(7, false)) == .goOn(expectsReply: true))
        #expect(transaction.output == nil)
        #expect(try transaction.handle(SubscribeResponse(subscriptionID: 7, maxInterval: 60)) == .finished)
        let subscription = try #require(transaction.output)
        #expect(subscription.id == 7)
        #expect(subscription.maxInterval == 60)
        #expect(subscription.reports.attribute(onOff)?.value == .bool(false))
    }

    @Test("a last report that wants no answer gets none")
    func suppressed() throws {
        var transaction = try started()
        #expect(try transaction.handle(report(suppress: true)) == .wait)
        #expect(try transaction.handle(SubscribeResponse(subscriptionID: 7, maxInterval: 60)) == .finished)
    }

    @Test("another subscription id midway is INVALID_SUBSCRIPTION")
    func otherID() throws {
        var transaction = try started()
        _ = try transaction.handle(report(more: true))
        var error = #expect(throws: InteractionError.self) { try transaction.handle(report(8)) }
        #expect(error?.statusForPeer == .invalidSubscription)
        transaction = try started()
        _ = try transaction.handle(report())
        error = #expect(throws: InteractionError.self) {
            try transaction.handle(SubscribeResponse(subscriptionID: 8, maxInterval: 60))
        }
        #expect(error?.statusForPeer == .invalidSubscription)
        #expect(transaction.output == nil)
    }

    @Test("a report without an id, and a response before any report, are refused")
    func violations() throws {
        var transaction = try started()
        #expect(throws: InteractionError.self) { try transaction.handle(report(nil)) }
        transaction = try started()
        #expect(throws: InteractionError.self) {
            try transaction.handle(SubscribeResponse(subscriptionID: 7, maxInterval: 60))
        }
        transaction = try started()
        _ = try transaction.handle(report())
        #expect(throws: InteractionError.self) { try transaction.handle(report()) }
    }

    @Test("a refusal at any point is the peer's status")
    func refused() throws {
        var transaction = try started()
        #expect { try transaction.handle(StatusResponse(.invalidAction)) } throws: { error in
            (error as? InteractionError)?.status == .invalidAction
        }
        transaction = try started()
        _ = try transaction.handle(report())
        #expect { try transaction.handle(StatusResponse(.resourceExhausted)) } throws: { error in
            (error as? InteractionError)?.status == .resourceExhausted
        }
    }

    @Test("contradictory requests are refused before anything is sent")
    func invalid() {
        for request in [
            SubscribeRequest(minIntervalFloor: 61, maxIntervalCeiling: 60, attributePaths: [AttributePath(onOff)]),
            SubscribeRequest(minIntervalFloor: 0, maxIntervalCeiling: 60, attributePaths: []),
            SubscribeRequest(
                minIntervalFloor: 0, maxIntervalCeiling: 60, attributePaths: [AttributePath(attribute: 1)]),
        ] {
            var transaction = SubscribeTransaction(request)
            #expect { try transaction.start() } throws: { ($0 as? InteractionError)?.code == .invalidRequest }
        }
    }
}

@Suite("SubscriptionState")
struct SubscriptionStateTests {
    private let start = ContinuousClock.now

    private func state() -> SubscriptionState<ContinuousClock.Instant> {
        let value = AttributeReport(path: onOff, dataVersion: 1, outcome: .value(.bool(true)))
        return SubscriptionState(
            Subscription(id: 7, maxInterval: 60, reports: ReadResult(attributes: [value])),
            maximumRoundTrip: .seconds(5), now: start)
    }

    @Test("it is dead when interval, retransmissions and processing time have passed since the last report")
    func liveness() throws {
        var state = state()
        #expect(state.livenessTimeout == .seconds(67))
        #expect(!state.isExpired(at: start + .milliseconds(66_999)))
        #expect(state.isExpired(at: start + .seconds(67)))
        _ = try state.handle(
            opcode: 5, payload: ReportData(subscriptionID: 7).encoded(), at: start + .seconds(60))
        #expect(!state.isExpired(at: start + .seconds(126)))
        #expect(state.isExpired(at: start + .seconds(127)))
    }

    @Test("reports are answered and returned whole")
    func reports() throws {
        var state = state()
        let first = try state.handle(opcode: 5, payload: report(version: 2, more: true).encoded(), at: start)
        #expect(first.action == .goOn(expectsReply: true))
        #expect(first.report == nil)
        let last = try state.handle(opcode: 5, payload: report(7, false, version: 3).encoded(), at: start)
        #expect(last.action == .goOn(expectsReply: false))
        #expect(last.report?.attribute(onOff)?.value == .bool(false))
        #expect(state.dataVersionFilters.map(\.dataVersion) == [3])
        let silent = try state.handle(opcode: 5, payload: report(suppress: true).encoded(), at: start)
        #expect(silent.action == .finished)
        #expect(silent.report != nil)
    }

    @Test("a report that broke off is forgotten")
    func brokenOff() throws {
        var state = state()
        _ = try state.handle(opcode: 5, payload: report(more: true).encoded(), at: start)
        state.beginReport()
        let empty = try state.handle(opcode: 5, payload: ReportData(subscriptionID: 7).encoded(), at: start)
        #expect(empty.report == ReadResult())
    }

    @Test("an unknown id is INVALID_SUBSCRIPTION and no sign of life")
    func unknown() throws {
        var state = state()
        for other in [report(8), report(nil)] {
            let error = #expect(throws: InteractionError.self) {
                try state.handle(opcode: 5, payload: other.encoded(), at: start + .seconds(60))
            }
            #expect(error?.statusForPeer == .invalidSubscription)
        }
        #expect(state.isExpired(at: start + .seconds(67)))
    }

    @Test("it knows from which event on to subscribe again")
    func events() throws {
        var state = state()
        #expect(state.nextEventNumber == nil)
        let event = EventDataIB(
            path: EventPath(endpoint: 0, cluster: 40, event: 0), number: 99, priority: .info, timestamp: .system(1),
            data: nil)
        _ = try state.handle(
            opcode: 5, payload: ReportData(subscriptionID: 7, events: [.data(event)]).encoded(), at: start)
        #expect(state.nextEventNumber == 100)
    }

    @Test("a new subscription is tried at once, then ever later up to a bound")
    func backoff() {
        #expect(ResubscribeBackoff.delay(attempt: 0, jitter: 1) == .zero)
        #expect(ResubscribeBackoff.delay(attempt: 1, jitter: 1) == .seconds(10))
        #expect(ResubscribeBackoff.delay(attempt: 1, jitter: 0) == .seconds(3))
        #expect(ResubscribeBackoff.delay(attempt: 6, jitter: 1) == .seconds(80))
        let longest = ResubscribeBackoff.delay(attempt: 14, jitter: 1)
        #expect(longest == .seconds(3_770))
        #expect(ResubscribeBackoff.delay(attempt: .max, jitter: 9) == longest)
        #expect(ResubscribeBackoff.delay(attempt: -1, jitter: -1) == .zero)
    }
}
