import MatterController
import Testing

@testable import HouseServer

@Suite struct OutboxTests {
    private let node = NodeID(1)
    private let path = CachePath(1, 6, 0)

    private func listening() -> Outbox {
        var box = Outbox()
        box.begin(with: [], of: [node])
        _ = box.next()
        return box
    }

    private func all(_ box: inout Outbox) -> [Outbox.Item] {
        var items: [Outbox.Item] = []
        while let item = box.next() { items.append(item) }
        return items
    }

    @Test func nothingButTheAnswerComesBeforeTheResultOfStartListening() {
        var box = Outbox()
        box.take(.attribute(node, path), nodes: 1)
        box.take(.nodeAdded(node), nodes: 1)
        box.begin(with: [[1]], of: [node])
        box.take(.attribute(node, path), nodes: 1)
        #expect(all(&box) == [.message([[1]]), .news(.attribute(node, path))])
    }

    @Test func aValueThatChangesAgainIsSentOnce() {
        var box = listening()
        box.take(.attribute(node, path), nodes: 1)
        box.take(.attribute(node, CachePath(1, 8, 0)), nodes: 1)
        box.take(.attribute(node, path), nodes: 1)
        #expect(all(&box) == [.news(.attribute(node, path)), .news(.attribute(node, CachePath(1, 8, 0)))])
        box.take(.attribute(node, path), nodes: 1)
        #expect(all(&box) == [.news(.attribute(node, path))])
    }

    @Test func aNodeThatIsSentAsAWholeHasItsValuesInIt() {
        var box = listening()
        box.take(.attribute(node, path), nodes: 1)
        box.take(.nodeUpdated(node), nodes: 1)
        box.take(.attribute(node, CachePath(1, 8, 0)), nodes: 1)
        box.take(.nodeUpdated(node), nodes: 1)
        // The first value was asked for before; the node that follows has it, too.
        #expect(all(&box) == [.news(.attribute(node, path)), .news(.nodeUpdated(node))])
    }

    @Test func anEndpointIsAddedAfterTheNodeThatHasIt() {
        var box = listening()
        box.take(.nodeUpdated(node), nodes: 1)
        box.take(.endpointAdded(node, 3), nodes: 1)
        #expect(all(&box) == [.news(.nodeUpdated(node)), .news(.endpointAdded(node, 3))])
    }

    @Test func nothingFollowsTheRemovalOfANode() {
        var box = listening()
        box.take(.attribute(node, path), nodes: 1)
        box.take(.nodeUpdated(node), nodes: 1)
        box.take(.nodeRemoved(node), nodes: 0)
        #expect(all(&box) == [.news(.nodeRemoved(node))])
    }

    @Test func aNodeThatTheClientDoesNotKnowComesFirstAsAWhole() {
        var box = listening()
        let new = NodeID(2)
        box.take(.attribute(new, path), nodes: 2)
        box.take(.endpointAdded(new, 1), nodes: 2)
        box.take(.event(new, [1]), nodes: 2)
        box.take(.nodeRemoved(new), nodes: 2)
        #expect(all(&box).isEmpty)
        box.take(.nodeUpdated(new), nodes: 2)
        box.take(.event(new, [1]), nodes: 2)
        #expect(all(&box) == [.news(.nodeAdded(new)), .news(.event(new, [1]))])
    }

    @Test func eventsAreNeitherJoinedNorReordered() {
        var box = listening()
        for number in 0..<5 { box.take(.event(node, [UInt8(number)]), nodes: 1) }
        #expect(all(&box) == (0..<5).map { .news(.event(node, [UInt8($0)])) })
    }

    @Test func aClientThatDoesNotReadLosesTheOldestEventsOnly() {
        var box = listening()
        box.add([[9]])
        for number in 0..<1200 { box.take(.event(node, [UInt8(number % 200), UInt8(number / 200)]), nodes: 1) }
        let items = all(&box)
        #expect(items.first == .message([[9]]) && items.count == 1001)
        #expect(items.last == .news(.event(node, [199, 5])))
        #expect(items[1] == .news(.event(node, [0, 1])))
    }

    @Test func aDocumentThatChangesTwiceBeforeItIsTakenIsSentOnceAndThenAgain() {
        var outbox = Outbox()
        outbox.begin(with: [], of: [NodeID]())
        _ = outbox.next()
        for news in [NetworkNews.topology, .thread(1), .topology, .thread(2)] { outbox.take(.network(news), nodes: 1) }
        #expect(outbox.next() == .news(.network(.topology)))
        outbox.take(.network(.topology), nodes: 1)
        #expect(outbox.next() == .news(.network(.thread(1))) && outbox.next() == .news(.network(.thread(2))))
        #expect(outbox.next() == .news(.network(.topology)) && outbox.next() == nil)
    }

    @Test("what cameras call back is never joined, and stays in its order among the others")
    func cameras() {
        var box = listening()
        let news: [HouseNews] = [
            .camera(node, [1]), .event(node, [9]), .camera(node, [1]), .attribute(node, path), .camera(node, [2]),
        ]
        for piece in news { box.take(piece, nodes: 1) }
        box.take(.camera(NodeID(2), [3]), nodes: 1)
        #expect(all(&box) == news.map { .news($0) }, "and nothing of a node that the client does not know")
        for _ in 0..<1100 { box.take(.camera(node, [4]), nodes: 1) }
        #expect(all(&box).count == 1000)
    }
}
