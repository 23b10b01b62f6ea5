import MatterBase
import MatterCrypto
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

@Suite("Published subscriptions", .beside)
struct SubscriptionTests {
    private func request(
        _ path: AttributePath = AttributePath(endpoint: 1, cluster: 6), min: UInt16 = 0, max: UInt16 = 60,
        keep: Bool = true, events: [EventPath] = []
    ) -> SubscribeRequest {
        SubscribeRequest(
            keepsSubscriptions: keep, minIntervalFloor: min, maxIntervalCeiling: max, attributePaths: [path],
            eventPaths: events)
    }

    private func subscribe(_ bench: NodeBench, _ request: SubscribeRequest, _ caller: Caller) throws -> UInt32 {
        let new = try bench.node.turn(at: bench.moment) { try bench.node.subscribe(request, caller: caller) }
        bench.node.subscriptionEstablished(new.response.subscriptionID, at: bench.moment)
        return new.response.subscriptionID
    }

    private func bench() throws -> (NodeBench, Caller) {
        let bench = try NodeBench(["on-off-light"])
        return (bench, try bench.commission(try NodeBench.Controller()))
    }

    @Test("a change is reported at once, together with what changed until then")
    func change() throws {
        let (bench, admin) = try bench()
        let id = try subscribe(bench, request(), admin)
        #expect(bench.node.takeDueReports(at: bench.moment).isEmpty)
        try bench.invoke(1, 6, 1, by: admin)
        let reports = bench.node.takeDueReports(at: bench.moment)
        #expect(reports.map(\.subscription) == [id])
        #expect(reports.first?.attributes.compactMap(\.value) == [.bool(true)])
        #expect(bench.node.takeDueReports(at: bench.moment).isEmpty, "one report is under way")
        try bench.invoke(1, 6, 0, by: admin)
        bench.node.reportDelivered(id)
        #expect(bench.node.takeDueReports(at: bench.moment).first?.attributes.compactMap(\.value) == [.bool(false)])
    }

    @Test("the least interval holds reports back, the greatest brings an empty one")
    func intervals() throws {
        let (bench, admin) = try bench()
        let id = try subscribe(bench, request(min: 10, max: 60), admin)
        try bench.invoke(1, 6, 1, by: admin)
        let start = bench.moment
        #expect(bench.node.takeDueReports(at: start.advanced(by: .seconds(9))).isEmpty)
        #expect(bench.node.takeDueReports(at: start.advanced(by: .seconds(10))).count == 1)
        bench.node.reportDelivered(id)
        #expect(bench.node.takeDueReports(at: start.advanced(by: .seconds(60))).isEmpty)
        let alive = bench.node.takeDueReports(at: start.advanced(by: .seconds(70)))
        #expect(alive.count == 1)
        #expect(alive.first?.attributes.isEmpty == true)
    }

    @Test("an urgent event does not wait, others do")
    func urgentEvents() throws {
        let (bench, admin) = try bench()
        let path = EventPath(endpoint: 0, cluster: 0x1F, event: 0, isUrgent: true)
        let quiet = EventPath(endpoint: 0, cluster: 0x1F, event: 0)
        let urgent = try subscribe(
            bench, request(AttributePath(endpoint: 0, cluster: 0x28, attribute: 1), events: [path]), admin)
        _ = try subscribe(
            bench, request(AttributePath(endpoint: 0, cluster: 0x28, attribute: 1), events: [quiet]), admin)
        let entries = [AccessControlEntry(.administer, .case, subjects: [0x2000]), AccessControlEntry(.view, .case)]
        let list = TLVValue.array(of: entries.map { $0.tlv(fabricIndex: 1) })
        #expect(try bench.write(0, 0x1F, 0, list, by: admin).isSuccess)
        let reports = bench.node.takeDueReports(at: bench.moment)
        #expect(reports.map(\.subscription) == [urgent])
        #expect(reports.first?.events.count == 1)
    }

    @Test("requests that make no sense are refused")
    func refusals() throws {
        let (bench, admin) = try bench()
        func refusal(_ request: SubscribeRequest, _ caller: Caller) -> IMStatus? {
            do throws(SimulatedNode.Refusal) {
                _ = try bench.node.subscribe(request, caller: caller)
                return nil
            } catch {
                return error.status
            }
        }
        #expect(refusal(request(min: 10, max: 5), admin) == .invalidAction)
        #expect(refusal(request(AttributePath(endpoint: 9)), admin) == .invalidAction)
        #expect(refusal(request(AttributePath(attribute: 0)), admin) == .invalidAction)
        #expect(refusal(request(), bench.pase) == .unsupportedAccess)
        let stranger = Caller(.case(NodeID(5), tags: []), fabricIndex: 1, session: .secure(9))
        #expect(refusal(request(), stranger) == .invalidAction)
    }

    @Test("a new subscription replaces those of its peer unless it keeps them")
    func replacement() throws {
        let (bench, admin) = try bench()
        _ = try subscribe(bench, request(), admin)
        _ = try subscribe(bench, request(), admin)
        #expect(bench.node.subscriptions.count == 2)
        _ = try subscribe(bench, request(keep: false), admin)
        #expect(bench.node.subscriptions.count == 1)
    }

    @Test("a full table gives a fabric its share and no more")
    func shares() throws {
        let bench = try NodeBench(["on-off-light"]) { $0.limits.subscriptions = 5 }
        let first = try bench.commission(try NodeBench.Controller())
        #expect(try bench.openWindow(by: first).isSuccess)
        let second = try bench.commission(try NodeBench.Controller(nodeID: 0x3000))
        for _ in 0..<5 { _ = try subscribe(bench, request(), first) }
        #expect(throws: SimulatedNode.Refusal(status: .resourceExhausted)) { try subscribe(bench, request(), first) }
        for _ in 0..<2 { _ = try subscribe(bench, request(), second) }
        #expect(bench.node.subscriptions.count { $0.fabricIndex == first.fabricIndex } == 3)
        #expect(throws: SimulatedNode.Refusal(status: .resourceExhausted)) { try subscribe(bench, request(), second) }
    }

    @Test("it goes with its session, or on to another of the same peer")
    func sessions() throws {
        let (bench, admin) = try bench()
        _ = try subscribe(bench, request(), admin)
        let session = try #require(admin.session)
        bench.node.sessionEnded(session, replacement: .secure(77))
        #expect(bench.node.subscriptions.map(\.session) == [.secure(77)])
        bench.node.sessionEnded(.secure(77), replacement: nil)
        #expect(bench.node.subscriptions.isEmpty)
    }

    @Test("what one may no longer see is no longer reported")
    func accessWithdrawn() throws {
        let (bench, admin) = try bench()
        bench.node.fabrics[1]?.access.append(AccessControlEntry(.view, .case, subjects: [7]))
        let viewer = Caller(.case(NodeID(7), tags: []), fabricIndex: 1, session: .secure(7))
        _ = try subscribe(bench, request(), viewer)
        bench.node.fabrics[1]?.access.removeLast()
        try bench.invoke(1, 6, 1, by: admin)
        #expect(bench.node.takeDueReports(at: bench.moment).first?.attributes.isEmpty == true)
    }
}
