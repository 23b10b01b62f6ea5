import MatterClusters
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork

/// Who is told what of a subscription that several share.
@Suite("FollowBoard")
struct FollowBoardTests {
    private let start = Instant.now
    private let isOn = AttributePath(endpoint: 1, cluster: OnOff.id, attribute: OnOff.Attribute.onOff)
    private let level = AttributePath(
        endpoint: 1, cluster: LevelControl.id, attribute: LevelControl.Attribute.currentLevel)

    private func wish(
        _ attributes: [AttributePath], events: [EventPath] = [], past: Bool = false, most: Duration = .seconds(60),
        isPatient: Bool = false
    ) -> FollowBoard.Wish {
        FollowBoard.Wish(
            attributes: attributes, events: events, includesPast: past, most: most, isPatient: isPatient)
    }

    private func report(_ path: AttributePath, _ value: TLVValue) throws -> AttributeReport {
        AttributeReport(path: try #require(path.concrete), dataVersion: 1, outcome: .value(value))
    }

    private func event(_ number: UInt64) -> EventReport {
        EventReport(
            path: ConcreteEventPath(endpoint: 1, cluster: Switch.id, event: Switch.InitialPress.id),
            outcome: .event(
                EventReport.Event(number: number, priority: .info, timestamp: .epoch(number), data: .structure([]))))
    }

    private func established(_ reports: [AttributeReport], events: [EventReport] = []) -> SubscriptionEvent {
        .established(id: 1, maxInterval: .seconds(60), ReadResult(attributes: reports, events: events))
    }

    private func silence() -> SubscriptionEvent {
        .lost(TransportError(.noReply, "silent"), retryAfter: .seconds(1))
    }

    /// An event for a follower, in short: `1 change initial 1`.
    private func texts(_ deliveries: [(follower: Int, delivery: FollowBoard.Delivery)]) -> [String] {
        deliveries.map { "\($0.follower) \(text($0.delivery))" }
    }

    private func text(_ delivery: FollowBoard.Delivery) -> String {
        switch delivery {
        case .update(.established(let now)): now.missed.map { "established after \($0)" } ?? "established"
        case .update(.change(let change)): "\(change.cause) \(change.path)"
        case .update(.event(let event)): "event \(event.number)"
        case .update(.lost): "lost"
        case .end(let error): error == nil ? "end" : "failure"
        }
    }

    @Test("the first follower is told that it stands, and then all values")
    func begins() throws {
        var board = FollowBoard()
        let first = board.add(wish([isOn]))
        #expect(first.number == 1 && first.needsSubscription && first.deliveries.isEmpty)
        let request = board.request()
        #expect(request.attributePaths == [isOn] && request.eventPaths.isEmpty && request.keepsSubscriptions)
        let told = board.take(established([try report(isOn, .bool(false))]), at: start)
        #expect(texts(told) == ["1 established", "1 initial 1/on-off/on-off"])
    }

    @Test("who wants no more than is there is told at once, from what is known, and needs no subscription")
    func shares() throws {
        var board = FollowBoard()
        _ = board.add(wish([AttributePath(endpoint: 1)]))
        _ = board.request()
        _ = board.take(established([try report(isOn, .bool(false)), try report(level, .uint(7))]), at: start)
        let second = board.add(wish([level]))
        #expect(!second.needsSubscription)
        #expect(second.deliveries.map(text) == ["established", "initial 1/level-control/current-level"])
        let told = board.take(.report(ReadResult(attributes: [try report(level, .uint(8))])), at: start)
        #expect(
            texts(told) == [
                "1 reported 1/level-control/current-level", "2 reported 1/level-control/current-level",
            ])
        let switched = board.take(.report(ReadResult(attributes: [try report(isOn, .bool(true))])), at: start)
        #expect(texts(switched) == ["1 reported 1/on-off/on-off"])
    }

    @Test("who wants more brings another subscription for all; the others hear only what is new in it")
    func widens() throws {
        var board = FollowBoard()
        _ = board.add(wish([isOn]))
        _ = board.request()
        _ = board.take(established([try report(isOn, .bool(false))]), at: start)
        #expect(board.add(wish([level])).needsSubscription)
        #expect(board.request().attributePaths == [isOn, level])
        let told = board.take(
            established([try report(isOn, .bool(false)), try report(level, .uint(7))]), at: start)
        #expect(texts(told) == ["2 established", "2 initial 1/level-control/current-level"])
        let changed = board.take(established([try report(isOn, .bool(true))]), at: start)
        #expect(texts(changed) == ["1 reported 1/on-off/on-off"])
    }

    @Test("a shorter silence is asked for by who wants it")
    func silences() {
        var board = FollowBoard()
        _ = board.add(wish([isOn]))
        #expect(board.request().maxIntervalCeiling == 60)
        #expect(!board.add(wish([isOn], most: .seconds(90))).needsSubscription)
        #expect(board.add(wish([isOn], most: .seconds(5))).needsSubscription)
        #expect(board.request().maxIntervalCeiling == 5)
    }

    @Test("after a loss everyone is told how long nothing was heard, and what has changed meanwhile")
    func loses() throws {
        var board = FollowBoard()
        _ = board.add(wish([isOn, level]))
        _ = board.request()
        _ = board.take(established([try report(isOn, .bool(false)), try report(level, .uint(7))]), at: start)
        #expect(texts(board.take(silence(), at: start)) == ["1 lost"])
        #expect(texts(board.take(silence(), at: start + .seconds(3))) == ["1 lost"])
        let told = board.take(
            established([try report(isOn, .bool(true)), try report(level, .uint(7))]), at: start + .seconds(9))
        #expect(texts(told) == ["1 established after 9.0 seconds", "1 missed 1/on-off/on-off"])
    }

    @Test("a node that is not there ends it for a follower that does not wait, and for no other")
    func waits() throws {
        var board = FollowBoard()
        _ = board.add(wish([isOn]))
        _ = board.add(wish([isOn], isPatient: true))
        _ = board.request()
        #expect(texts(board.take(silence(), at: start)) == ["1 failure"])
        let told = board.take(established([try report(isOn, .bool(true))]), at: start)
        #expect(texts(told) == ["2 established", "2 initial 1/on-off/on-off"])
    }

    @Test("events from before are told to who asked for them; each event once to each")
    func events() throws {
        var board = FollowBoard()
        let all = EventPath(endpoint: 1, cluster: Switch.id)
        _ = board.add(wish([], events: [all]))
        #expect(board.request().eventFilters.isEmpty)
        let told = board.take(established([], events: [event(4), event(5)]), at: start)
        #expect(texts(told) == ["1 established"])
        #expect(texts(board.take(.report(ReadResult(events: [event(6)])), at: start)) == ["1 event 6"])
        #expect(board.add(wish([], events: [all], past: true)).needsSubscription)
        #expect(board.request().eventFilters.isEmpty)
        let again = board.take(established([], events: [event(5), event(6), event(7)]), at: start)
        #expect(texts(again) == ["1 event 7", "2 established", "2 event 5", "2 event 6", "2 event 7"])
        #expect(board.request().eventFilters == [EventFilter(minimum: 8)])
    }

    @Test("more paths than a node need allow become wider ones, and no follower is told of another's attributes")
    func manyPaths() throws {
        var board = FollowBoard()
        for endpoint in 1...9 as ClosedRange<UInt16> {
            _ = board.add(
                wish([
                    AttributePath(
                        endpoint: EndpointID(endpoint), cluster: OnOff.id, attribute: OnOff.Attribute.onOff)
                ]))
        }
        #expect(board.request().attributePaths == [AttributePath()])
        let told = board.take(established([try report(isOn, .bool(true)), try report(level, .uint(1))]), at: start)
        #expect(texts(told).filter { $0.contains("initial") } == ["1 initial 1/on-off/on-off"])
    }

    @Test("who only wants to know whether the node is there has a path that every node has")
    func presence() {
        var board = FollowBoard()
        _ = board.add(wish([]))
        #expect(board.request().attributePaths == [FollowBoard.presence])
        #expect(texts(board.take(established([]), at: start)) == ["1 established"])
    }

    @Test("after a fresh start no number of a follower comes again")
    func numbers() {
        var board = FollowBoard()
        let first = board.add(wish([isOn])).number
        board.remove(first)
        #expect(board.isEmpty)
        board.startOver()
        #expect(board.add(wish([isOn])).number > first)
    }
}
