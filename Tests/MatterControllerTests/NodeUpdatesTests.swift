import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

/// The events for a program that follows a node, a virtual light.
@Suite("Node updates", .fewAtATime, .serialized, .timeLimit(.minutes(5)))
struct NodeUpdatesTests {
    /// The subscriptions that a device was asked for.
    private final class Counter: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        func note(_ report: NodeReport) {
            if case .session("subscribed", _) = report { count.withLock { $0 += 1 } }
        }
    }

    private func commissioned(
        _ counter: Counter = Counter()
    ) async throws -> (light: VirtualLight, home: Controller, node: Node) {
        let light = try await VirtualLight(report: { counter.note($0) })
        let home = try Controller(home: .folder(light.home), fabric: "home")
        let node = try await home.commission(
            light.code, name: "kitchen", trust: .folder(light.trust, testDevices: true), address: light.address)
        return (light, home, node)
    }

    private func text(_ update: NodeUpdate) -> String {
        switch update {
        case .established(let now): now.missed == nil ? "established" : "again"
        case .change(let change):
            "\(change.cause) "
                + (change.value(of: OnOff.onOff).map { "\($0)" }
                    ?? change.value(of: LevelControl.currentLevel).map { "level \($0 ?? 0)" } ?? change.path)
        case .event(let event): event.path
        case .lost: "lost"
        }
    }

    @Test("all who follow a node share one subscription, and each hears of what it follows")
    func shared() async throws {
        let counter = Counter()
        let (light, home, node) = try await commissioned(counter)
        var first = node.changes(.attribute(OnOff.onOff), .attribute(LevelControl.currentLevel)).makeAsyncIterator()
        #expect(try await first.next().map(text) == "established")
        #expect(try await first.next().map(text) == "initial false")
        let level = try #require(try await first.next())
        #expect(text(level).hasPrefix("initial level "))
        var others = [node.changes(of: OnOff.onOff), node.changes(of: OnOff.onOff)].map { $0.makeAsyncIterator() }
        for index in others.indices {
            #expect(try await others[index].next().map(text) == "established")
            #expect(try await others[index].next().map(text) == "initial false")
        }
        try await node.on()
        for index in others.indices {
            #expect(try await others[index].next().map(text) == "reported true")
        }
        #expect(counter.value == 1)
        await home.close()
        #expect(try await others[0].next() == nil)
        await light.stop()
    }

    @Test("who wants more than the others brings another subscription, which all have then")
    func widened() async throws {
        let counter = Counter()
        let (light, home, node) = try await commissioned(counter)
        var first = node.changes(of: OnOff.onOff).makeAsyncIterator()
        #expect(try await first.next().map(text) == "established")
        #expect(try await first.next().map(text) == "initial false")
        var second = node.changes(.attribute(LevelControl.currentLevel)).makeAsyncIterator()
        #expect(try await second.next().map(text) == "established")
        #expect(try await second.next().map(text).map { $0.hasPrefix("initial level") } == true)
        // The device says so on its own thread, perhaps after its answer has come.
        try await eventually { counter.value == 2 }
        try await node.on()
        #expect(try await first.next().map(text) == "reported true")
        await home.close()
        await light.stop()
    }

    @Test("a restart of the node is told as a loss, and what changed meanwhile as missed; its events come once")
    func restarted() async throws {
        let (light, home, node) = try await commissioned()
        var updates = node.follow(
            [.attribute(OnOff.onOff)], [.event(BasicInformation.StartUp.self)], silentForAtMost: .seconds(1)
        ).makeAsyncIterator()
        #expect(try await updates.next().map(text) == "established")
        #expect(try await updates.next().map(text) == "initial false")
        await light.reboot()
        try await node.toggle(within: .seconds(40))
        var seen: [String] = []
        while !seen.contains("missed true") || !seen.contains("0/basic-information/start-up") {
            seen.append(text(try #require(try await updates.next())))
        }
        #expect(seen.first == "lost" && seen.filter { $0 == "again" }.count == 1, "\(seen)")
        #expect(seen.filter { $0.contains("start-up") }.count == 1, "\(seen)")
        await home.close()
        await light.stop()
    }

    @Test("whether a node can be reached is told when it changes")
    func reachable() async throws {
        let (light, home, node) = try await commissioned()
        #expect(await node.isReachable)
        let (states, state) = AsyncStream.makeStream(of: Bool.self)
        let following = Task { for try await isReachable in node.reachability() { state.yield(isReachable) } }
        var told = states.makeAsyncIterator()
        #expect(await told.next() == true)
        await home.close()
        following.cancel()
        await light.stop()
        let other = try Controller(home: .folder(light.home), fabric: "home")
        await #expect(throws: MatterError.self) {
            var updates = try other.node(node.id).changes().makeAsyncIterator()
            _ = try await updates.next()
        }
        await other.close()
    }
}
