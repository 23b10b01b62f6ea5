import Glibc
import MatterBase
import MatterCrypto
import MatterTestKit
import TestSupport
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

@Suite("Session slots of a node link", .timed, .realTime)
struct SessionSlotTests {
    private var deadline: Instant { .now + .seconds(60) }
    private let path = [AttributePath(Light.onOff)]

    /// The view of another process of the same state directory.
    private func others(_ bench: Bench) throws -> SlotFile { try bench.state.directory.slots("fabrics/home/slots") }

    private func slot(
        _ file: SlotFile, _ kind: SlotKind = .short, of count: Int = 2, patience: Duration = .zero
    ) async throws -> SlotLease {
        let lease = try await file.take(node: Bench.node.rawValue, kind, of: count, until: .now + patience)
        lease.passTurn()
        return lease
    }

    @Test("a session has a slot until it is closed, and its replacement keeps it")
    func held() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        let file = try others(bench)
        let second = try await slot(file)
        #expect(second.index == 1)
        await #expect(throws: SlotsTaken.self) { try await slot(file) }
        await bench.device.restart()
        _ = try await link.read(path, deadline: deadline)
        #expect(await bench.handshakes == 2)
        await #expect(throws: SlotsTaken.self) { try await slot(file) }
        await bench.controller.close()
        #expect(try await slot(file).index == 0)
        await bench.end()
    }

    @Test("a second controller of this process takes another slot")
    func twoControllers() async throws {
        let bench = try await Bench()
        _ = try await bench.connected()
        let other = Controller(bench.controller.options)
        try await other.links.link(to: other.nodes.record(of: "lamp")).connect(deadline: deadline)
        let file = try others(bench)
        await #expect(throws: SlotsTaken.self) { try await slot(file) }
        await other.close()
        #expect(try await slot(file).index == 1)
        await bench.end()
    }

    @Test(
        "a second process that stays leaves one slot for commands, a third one waits; a node with two sessions has one")
    func followers() async throws {
        let bench = try await Bench()
        let file = try others(bench)
        let first = try await slot(file, .long)
        var options = bench.controller.options
        options.sessions = .long
        let (second, third) = (Controller(options), Controller(options))
        try await second.links.link(to: second.nodes.record(of: "lamp")).connect(deadline: deadline)
        let command = try await slot(file)
        #expect(command.index == 0)
        await #expect(throws: ControllerError.self) {
            try await third.links.link(to: third.nodes.record(of: "lamp")).connect(deadline: .now + .milliseconds(300))
        }
        await second.close()
        try await bench.controller.context.nodes().update(Bench.node) { $0.sessionsPerFabric = 2 }
        await #expect(throws: ControllerError.self) {
            try await second.links.link(to: second.nodes.record(of: "lamp")).connect(
                deadline: .now + .milliseconds(300))
        }
        first.release()
        try await second.links.link(to: second.nodes.record(of: "lamp")).connect(deadline: deadline)
        await second.close()
        await third.close()
        await bench.end()
    }

    @Test("callers of one link share its session, also where a node grants one", arguments: [1, 2, 3])
    func shared(sessions: UInt16) async throws {
        let bench = try await Bench()
        try await bench.controller.context.nodes().update(Bench.node) { $0.sessionsPerFabric = sessions }
        let link = try await bench.link()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                group.addTask { _ = try await link.read(path, deadline: .now + .seconds(60)) }
            }
            try await group.waitForAll()
        }
        #expect(bench.light.reads == 12)
        #expect(await bench.handshakes == 1)
        await bench.end()
    }

    @Test("without a slot nothing is sent, and the error names the processes that have them")
    func timeOut() async throws {
        let bench = try await Bench()
        let file = try others(bench)
        let held = [try await slot(file), try await slot(file)]
        let link = try await bench.link()
        let error = await #expect(throws: ControllerError.self) {
            _ = try await link.invoke(Light.toggle, .atMostOnce, deadline: .now + .milliseconds(300))
        }
        #expect(error?.code == .sessionsInUse && error?.holders == [getpid()])
        #expect(error?.reason.contains("\(getpid())") == true && error?.reason.contains("lamp") == true)
        #expect(await bench.handshakes == 0)
        held[1].release()
        _ = try await link.invoke(Light.toggle, .atMostOnce, deadline: deadline)
        #expect(bench.light.executed.count == 1)
        await bench.end()
    }

    @Test("a turn that comes at the end of the time does not blame the device for its silence")
    func lateTurn() async throws {
        let bench = try await Bench()
        await bench.device.shutDown()
        let file = try others(bench)
        let held = [try await slot(file), try await slot(file)]
        let link = try await bench.link()
        let end = Instant.now + .seconds(2)
        let outcome = Task { try await link.read(path, deadline: end) }
        // Most of its time goes with waiting, which is what is tested; where all of it does, the outcome is the same.
        try await Task.sleep(for: .milliseconds(1300))
        held[0].release()
        let error = await #expect(throws: ControllerError.self) { _ = try await outcome.value }
        #expect(error?.code == .sessionsInUse)
        // One that did not wait says what it is.
        let silence = await #expect(throws: SessionError.self) {
            _ = try await link.read(path, deadline: .now + .milliseconds(300))
        }
        #expect(silence?.code == .silent)
        await bench.end()
    }

    @Test("a handshake that fails gives the slot back")
    func failed() async throws {
        let bench = try await Bench { $0.fabrics = [] }
        let link = try await bench.link()
        await #expect(throws: SessionError.self) { try await link.connect(deadline: .now + .seconds(5)) }
        let file = try others(bench)
        let both = [try await slot(file), try await slot(file)]
        withExtendedLifetime(both) {}
        await bench.end()
    }

    @Test("work on one node of many gives its slot back when it is done, and when it fails")
    func oneOfMany() async throws {
        let bench = try await Bench()
        let controller = bench.controller
        let path = path
        let file = try others(bench)
        try await controller.links.withLink(to: controller.nodes.record(of: "lamp")) { link in
            _ = try await link.read(path, deadline: .now + .seconds(60))
            let second = try await slot(file)
            #expect(second.index == 1)
        }
        await #expect(throws: CancellationError.self) {
            try await controller.links.withLink(to: controller.nodes.record(of: "lamp")) { link in
                try await link.connect(deadline: .now + .seconds(60))
                throw CancellationError()
            }
        }
        let both = [try await slot(file), try await slot(file)]
        withExtendedLifetime(both) {}
        #expect(await bench.handshakes == 2)
        await bench.end()
    }

    @Test("a controller that stays takes the long slot and leaves the short ones")
    func long() async throws {
        let bench = try await Bench()
        var options = bench.controller.options
        options.sessions = .long
        let staying = Controller(options)
        try await staying.links.link(to: staying.nodes.record(of: "lamp")).connect(deadline: deadline)
        let file = try others(bench)
        let both = [try await slot(file), try await slot(file)]
        await #expect(throws: SlotsTaken.self) { try await slot(file, .long) }
        await staying.close()
        _ = try await slot(file, .long)
        withExtendedLifetime(both) {}
        await bench.end()
    }

    @Test("where no lock can be made, commands go without")
    func noLocks() async throws {
        let bench = try await Bench()
        try bench.state.forbidLocks()
        let controller = Controller(bench.controller.options)
        _ = try await controller.links.link(to: controller.nodes.record(of: "lamp"))
            .invoke(Light.toggle, .atMostOnce, deadline: deadline)
        #expect(bench.light.executed.count == 1)
        await controller.close()
        await bench.end()
    }

    @Test("what a node grants is read with its endpoints, and kept")
    func described() async throws {
        let bench = try await Bench { plan in
            plan.model.read = { path, _ in
                guard path.cluster == 0x28, path.attribute == 0x13 else { return [] }
                return [.value(path, .structure([TLVElement(0, .uint(5)), TLVElement(1, .uint(3))]))]
            }
        }
        let record = try await bench.controller.nodes.refreshed(
            bench.controller.nodes.record(of: "lamp"), deadline: deadline)
        #expect(record.sessionsPerFabric == 5)
        #expect(try bench.controller.nodes.record(of: "lamp").sessionsPerFabric == 5)
        await bench.end()
    }

    @Test("the record of a node holds what it grants")
    func record() throws {
        var record = NodeRecord(nodeID: Bench.node)
        #expect(try NodeRecord(decoding: record.encoded(), "5").sessionsPerFabric == nil)
        record.sessionsPerFabric = 7
        #expect(try NodeRecord(decoding: record.encoded(), "5") == record)
    }
}
