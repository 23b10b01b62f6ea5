import MatterController
import Testing

@testable import HouseServer
@testable import MatterModel

@Suite struct HouseBoardTests {
    private let id = NodeID(7)
    private let start = Instant.now

    private func board() -> HouseBoard {
        var board = HouseBoard(
            since: start, isSound: { path, value in ValueCheck.standard.isSound(path, value) },
            encodeEvent: { _, _, event in [UInt8(truncatingIfNeeded: event.number)] })
        let (added, removed, news) = board.take([NodeRecord(nodeID: id)])
        #expect(added == [id] && removed.isEmpty && news.isEmpty)
        return board
    }

    private func report(_ path: CachePath, _ value: TLVValue) -> AttributeReport {
        AttributeReport(
            path: ConcreteAttributePath(
                endpoint: EndpointID(path.endpoint), cluster: ClusterID(path.cluster),
                attribute: AttributeID(path.attribute)), dataVersion: nil, outcome: .value(value))
    }

    private func result(_ values: (CachePath, TLVValue)..., events: [UInt64] = []) -> ReadResult {
        var result = ReadResult()
        result.attributes = values.map { report($0.0, $0.1) }
        result.events = events.map { number in
            EventReport(
                path: ConcreteEventPath(endpoint: EndpointID(1), cluster: ClusterID(59), event: EventID(1)),
                outcome: .event(.init(number: number, priority: .info, timestamp: .epoch(5), data: nil)))
        }
        return result
    }

    private let onOff = CachePath(1, 6, 0)

    private func established(_ result: ReadResult) -> SubscriptionEvent {
        .established(id: 1, maxInterval: .seconds(60), result)
    }

    private func take(_ event: SubscriptionEvent, _ board: inout HouseBoard) -> HouseBoard.Outcome {
        board.take(event, of: id, at: start, unix: 1000)
    }

    private var silence: SubscriptionEvent { .lost(CancellationError(), retryAfter: .seconds(1)) }

    @Test func aNodeIsAddedAsAWholeAndThenItsChangesAreTold() {
        var board = board()
        #expect(take(established(result((onOff, .bool(false)))), &board).news == [.nodeAdded(id)])
        #expect(take(.report(result((onOff, .bool(true)))), &board).news == [.attribute(id, onOff)])
        #expect(take(.report(result((onOff, .bool(true)))), &board).news.isEmpty)
        #expect(board.nodes[id]?.attributes[onOff] == .bool(true))
    }

    @Test func aSingleLossIsNoAbsence() {
        var board = board()
        _ = take(established(result((onOff, .bool(false)))), &board)
        #expect(take(silence, &board).news.isEmpty)
        #expect(board.nodes[id]?.isAvailable == true)
        #expect(take(silence, &board).news == [.nodeUpdated(id)])
        #expect(board.nodes[id]?.isAvailable == false)
        #expect(take(silence, &board).news.isEmpty)
        #expect(take(established(result((onOff, .bool(true)))), &board).news == [.nodeUpdated(id)])
        #expect(board.nodes[id]?.isAvailable == true)
    }

    @Test func whatChangedWhileASubscriptionWasLostIsTold() {
        var board = board()
        _ = take(established(result((onOff, .bool(false)))), &board)
        _ = take(silence, &board)
        #expect(take(established(result((onOff, .bool(true)))), &board).news == [.attribute(id, onOff)])
    }

    @Test func aNewDeviceBehindABridgeIsReadBeforeItIsTold() {
        var board = board()
        _ = take(established(result((.parts, .array(of: [.uint(1)])), (onOff, .bool(true)))), &board)
        let outcome = take(.report(result((.parts, .array(of: [.uint(1), .uint(2)])))), &board)
        #expect(outcome.work == [.interview(id, added: [2])])
        #expect(!outcome.news.contains(.endpointAdded(id, 2)))
        let whole = result(
            (.parts, .array(of: [.uint(1), .uint(2)])), (onOff, .bool(true)), (CachePath(2, 6, 0), .bool(false)))
        let told = board.takeInterview(id, whole, added: [2], at: start, unix: 2000).news
        #expect(told == [.nodeUpdated(id), .endpointAdded(id, 2)])
    }

    @Test func aDeviceThatLeavesABridgeTakesItsValuesWithIt() {
        var board = board()
        let light = CachePath(2, 6, 0)
        _ = take(
            established(
                result((.parts, .array(of: [.uint(1), .uint(2)])), (onOff, .bool(true)), (light, .bool(true)))), &board)
        let outcome = take(.report(result((.parts, .array(of: [.uint(1)])))), &board)
        #expect(outcome.news.prefix(2) == [.endpointRemoved(id, 2), .nodeUpdated(id)])
        #expect(board.nodes[id]?.attributes[light] == nil && board.nodes[id]?.attributes[onOff] != nil)
    }

    @Test func eventsFromBeforeTheServerAreNoNewsAndNoneComesTwice() {
        var board = board()
        #expect(take(established(result(events: [3, 4])), &board).news == [.nodeAdded(id)])
        #expect(take(.report(result(events: [5])), &board).news == [.event(id, [5])])
        _ = take(silence, &board)
        #expect(take(established(result(events: [4, 5, 6])), &board).news == [.event(id, [6])])
    }

    @Test func anotherFirmwareIsReadAnew() {
        var board = board()
        _ = take(established(result((.softwareVersion, .uint(1)))), &board)
        let outcome = take(.report(result((.softwareVersion, .uint(2)))), &board)
        #expect(outcome.work == [.interview(id, added: [])])
    }

    @Test func aValueOfTheWrongKindIsLeftOut() {
        var board = board()
        _ = take(established(result((onOff, .string("on")))), &board)
        #expect(board.nodes[id]?.attributes[onOff] == nil)
    }

    @Test func aNodeThatIsRemovedIsToldOnce() {
        var board = board()
        _ = take(established(result((onOff, .bool(true)))), &board)
        #expect(board.take([]).news == [.nodeRemoved(id)])
        #expect(take(.report(result((onOff, .bool(false)))), &board) == HouseBoard.Outcome())
    }

    @Test func aNodeThatIsSilentFromTheBeginningIsSettled() {
        var board = board()
        #expect(!board.isSettled)
        _ = take(silence, &board)
        #expect(board.isSettled)
    }

    @Test func theStateIsKnownWithTheAgeOfEachValue() throws {
        var board = board()
        let paths = [AttributePath(endpoint: 1, cluster: 6, attribute: 0)]
        #expect(board.state(of: id, at: paths, now: start) == nil)
        _ = take(established(result((onOff, .bool(false)), (.softwareVersion, .uint(1)))), &board)
        _ = board.take(.report(result((.softwareVersion, .uint(1)))), of: id, at: start + .seconds(20), unix: 1000)
        let known = try #require(board.state(of: id, at: paths, now: start + .seconds(30)))
        #expect(known.values.map(\.value) == [.bool(false)] && known.values.first?.age == .seconds(30))
        #expect(known.heard == .seconds(10) && known.failure == nil)
        _ = take(silence, &board)
        _ = take(silence, &board)
        let lost = try #require(board.state(of: id, at: paths, now: start + .seconds(60)))
        #expect(lost.failure != nil && lost.heard == .seconds(40) && lost.values.count == 1)
    }

    @Test func aNodeIsKeptWhenItHasOtherAttributesAndNotWhenAValueChanges() {
        var board = board()
        _ = take(established(result((onOff, .bool(false)))), &board)
        #expect(board.takeToKeep(all: false).map(\.0) == [id])
        _ = take(.report(result((onOff, .bool(true)))), &board)
        #expect(board.takeToKeep(all: false).isEmpty)
        #expect(board.takeToKeep(all: true).first?.1.attributes[onOff] == .bool(true))
        _ = take(.report(result((CachePath(1, 8, 0), .uint(4)))), &board)
        #expect(board.takeToKeep(all: false).map(\.0) == [id])
    }

    @Test func aNodeThatIsFollowedNoMoreIsNotAvailable() {
        var board = board()
        _ = take(established(result((onOff, .bool(false)))), &board)
        #expect(board.end(id, "over").news == [.nodeUpdated(id)])
        #expect(board.nodes[id]?.isAvailable == false)
    }

    @Test func aNodeIsShownFromTheRecordOfTheLastRun() throws {
        var first = board()
        _ = take(established(result((.parts, .array(of: [.uint(1)])), (onOff, .bool(true)))), &first)
        let record = try #require(first.takeToKeep(all: false).first?.1.encoded)
        var second = board()
        second.restore(id, try #require(KeptNode(record)))
        #expect(second.nodes[id]?.attributes[onOff] == .bool(true) && second.nodes[id]?.isAvailable == false)
        #expect(take(silence, &second).news == [.nodeUpdated(id)])
        // A value that is the same is no news, but the node is.
        #expect(take(established(result((onOff, .bool(true)))), &second).news == [.nodeUpdated(id)])
    }
}
