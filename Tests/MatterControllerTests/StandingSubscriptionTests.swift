import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// The part of a server's subscription that one command asks for.
@Suite("A subscription that is shared") struct StandingSubscriptionTests {
    private static let onOff = ConcreteAttributePath(
        endpoint: EndpointID(1), cluster: OnOff.id, attribute: OnOff.Attribute.onOff)
    private static let fabrics = ConcreteAttributePath(
        endpoint: EndpointID(0), cluster: NodeOperationalCredentials.id,
        attribute: NodeOperationalCredentials.Attribute.fabrics)

    private static func entry(_ fabric: UInt64) -> TLVValue {
        .structure([TLVElement(.context(1), .uint(fabric * 10)), TLVElement(.context(254), .uint(fabric))])
    }

    private static func standing(fabric: UInt8? = 2) -> StandingSubscription {
        StandingSubscription(
            id: 77, maxInterval: .seconds(60),
            state: KnownState(
                values: [
                    KnownState.Value(path: onOff, value: .bool(true), age: .seconds(1), dataVersion: 5),
                    KnownState.Value(path: fabrics, value: .array(of: [entry(1), entry(2)]), age: nil),
                ], heard: .seconds(1), failure: nil),
            fabricIndex: fabric, events: AsyncStream { $0.finish() })
    }

    private static func request(
        _ paths: [AttributePath], events: [EventPath] = [], filtered: Bool = true, from minimum: UInt64? = nil
    ) -> SubscribeRequest {
        SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: 45, attributePaths: paths, eventPaths: events,
            eventFilters: minimum.map { [EventFilter(minimum: $0)] } ?? [], isFabricFiltered: filtered)
    }

    private static func event(_ number: UInt64, _ id: UInt32 = 1) -> EventReport {
        EventReport(
            path: ConcreteEventPath(endpoint: EndpointID(1), cluster: ClusterID(59), event: EventID(id)),
            outcome: .event(.init(number: number, priority: .info, timestamp: .epoch(5), data: nil)))
    }

    private static func values(_ event: SubscriptionEvent?) -> [AttributeReport] {
        switch event {
        case .established(_, _, let result), .report(let result): result.attributes
        case .lost, nil: []
        }
    }

    @Test("it begins with the values that were asked for, in the numbers of the subscription that stands")
    func beginning() throws {
        let shared = try #require(
            SharedSubscription(Self.request([AttributePath(Self.onOff)]), Self.standing(), log: []))
        guard case .established(let id, let maxInterval, let result) = shared.beginning else {
            Issue.record("it does not begin with a subscription")
            return
        }
        #expect(id == 77 && maxInterval == .seconds(60))
        #expect(result.attributes == [AttributeReport(path: Self.onOff, dataVersion: 5, outcome: .value(.bool(true)))])
    }

    @Test("a path that leads to nothing known is the node's to answer")
    func unknown() {
        let other = AttributePath(endpoint: EndpointID(3))
        #expect(SharedSubscription(Self.request([AttributePath(Self.onOff), other]), Self.standing(), log: []) == nil)
        #expect(SharedSubscription(Self.request([AttributePath()]), Self.standing(), log: []) != nil)
    }

    @Test("entries of other fabrics are left out, at the beginning and of reports, unless they were asked for")
    func filtered() throws {
        let both = TLVValue.array(of: [Self.entry(1), Self.entry(2)])
        let report = SubscriptionEvent.report(
            ReadResult(attributes: [AttributeReport(path: Self.fabrics, dataVersion: 1, outcome: .value(both))]))
        let path = AttributePath(Self.fabrics)
        let own = try #require(SharedSubscription(Self.request([path]), Self.standing(), log: []))
        for event in [own.beginning, own.part(report)] {
            #expect(Self.values(event).first?.value?.items == [Self.entry(2)])
        }
        let all = try #require(SharedSubscription(Self.request([path], filtered: false), Self.standing(), log: []))
        for event in [all.beginning, all.part(report)] { #expect(Self.values(event).first?.value == both) }
    }

    @Test("what was not asked for is not told, and a sign of life is nothing")
    func parts() throws {
        let shared = try #require(
            SharedSubscription(Self.request([AttributePath(Self.onOff)]), Self.standing(), log: []))
        let other = AttributeReport(path: Self.fabrics, dataVersion: 1, outcome: .value(.array(of: [])))
        #expect(shared.part(.report(ReadResult())) == nil)
        #expect(shared.part(.report(ReadResult(attributes: [other], events: [Self.event(9)]))) == nil)
        let change = AttributeReport(path: Self.onOff, dataVersion: 6, outcome: .value(.bool(false)))
        #expect(Self.values(shared.part(.report(ReadResult(attributes: [change, other])))) == [change])
    }

    @Test("an event is told once: in the log, or when it happens")
    func events() throws {
        let request = Self.request([], events: [EventPath(cluster: ClusterID(59), event: EventID(1))], from: 4)
        let shared = try #require(SharedSubscription(request, Self.standing(), log: [Self.event(4), Self.event(6)]))
        guard case .established(_, _, let log) = shared.beginning else {
            Issue.record("it does not begin with a subscription")
            return
        }
        #expect(log.events.count == 2)
        let told = shared.part(
            .report(ReadResult(events: [Self.event(3), Self.event(6), Self.event(7), Self.event(8, 2)])))
        guard case .report(let result)? = told else {
            Issue.record("nothing is told")
            return
        }
        #expect(result.events == [Self.event(7)])
    }
}
