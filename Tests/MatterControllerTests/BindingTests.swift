import MatterBase
import MatterCrypto
import MatterState
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterModel

/// A switch and a light with their lists, and a controller of both.
private struct Wiring {
    static let (lightID, wallID) = (NodeID(5), NodeID(6))
    static let own = AccessControlEntry(.administer, subjects: [NodeID(0x1000)])

    let state = try? TemporaryState()
    let light = ListedDevice([own])
    let wall = ListedDevice([])
    let devices: [LoopbackDevice]
    let controller: Controller

    init() async throws {
        let fabric = try TestFabric()
        var devices: [LoopbackDevice] = []
        for (id, model) in [(Self.lightID, light.model), (Self.wallID, wall.model)] {
            var plan = LoopbackDevice.Plan()
            plan.fabrics = [try fabric.node(id.rawValue)]
            plan.model = model
            devices.append(try await .start(plan))
        }
        self.devices = devices
        let folder = try #require(state)
        var options = Controller.Options(
            state: folder.directory, addresses: devices.map(\.address), logger: .silent,
            unixTime: { TestFabric.unixTime })
        options.time = testTime
        options.links = TestNetwork.links()
        controller = Controller(options)
        _ = try await controller.fabrics.add(fabric.local, name: "home", vendorID: VendorID(0xFFF1))
        try await controller.context.nodes().save(NodeRecord(nodeID: Self.lightID, name: "light"))
        try await controller.context.nodes().save(NodeRecord(nodeID: Self.wallID, name: "wall"))
    }

    func request(_ clusters: [ClusterID] = [OnOff.id]) async throws -> BindingRequest {
        BindingRequest(
            source: try controller.nodes.record(of: "wall"), endpoint: 1,
            target: .node(try controller.nodes.record(of: "light"), endpoint: 1), clusters: clusters)
    }

    /// The rights of the switch on the light.
    var rights: [AccessControlEntry] { get throws { try light.entries.filter { $0.subjects.contains(Self.wallID) } } }

    var bindings: [BindingEntry] { get throws { try wall.state.withLock { $0.entries }.map(BindingEntry.init) } }

    func end() async {
        await controller.close()
        for device in devices { await device.shutDown() }
    }
}

@Suite("Bindings", .virtualTime)
struct BindingTests {
    private static let entry = BindingEntry(node: Wiring.lightID, endpoint: 1, cluster: OnOff.id)

    private func failure(_ body: () async throws -> BindingOutcome) async throws -> ControllerError? {
        do {
            _ = try await body()
            return nil
        } catch let error as ControllerError {
            return error
        }
    }

    @Test("a binding is an entry in both lists, and goes from both")
    func both() async throws {
        let wiring = try await Wiring()
        let request = try await wiring.request()
        let made = try await wiring.controller.administration.bind(request, budget: Budget(nil))
        #expect(made.isAccessChanged == true && made.entries.map(\.isChanged) == [true])
        #expect(try wiring.bindings == [Self.entry])
        let target = AccessControlEntry.Target(cluster: OnOff.id, endpoint: 1)
        #expect(
            try wiring.rights.map(\.unplaced) == [
                AccessControlEntry(.operate, subjects: [Wiring.wallID], targets: [target])
            ])
        let gone = try await wiring.controller.administration.unbind(request, budget: Budget(nil))
        #expect(gone.isAccessChanged == true && gone.entries.map(\.entry) == [Self.entry])
        #expect(try wiring.bindings.isEmpty && wiring.rights.isEmpty)
        #expect(
            try await failure { try await wiring.controller.administration.unbind(request, budget: Budget(nil)) }?.code
                == .unknownBinding)
        await wiring.end()
    }

    @Test("if the switch refuses, the light takes the right back; if that fails too, it is said")
    func refused() async throws {
        let wiring = try await Wiring()
        wiring.wall.state.withLock { $0.refusal = (1, .resourceExhausted) }
        let request = try await wiring.request()
        var error = try await failure { try await wiring.controller.administration.bind(request, budget: Budget(nil)) }
        #expect(error?.status?.status == .resourceExhausted, "\(error as Any)")
        #expect(try wiring.bindings.isEmpty && wiring.rights.isEmpty && wiring.light.writes == 2)

        wiring.wall.state.withLock { $0.refusal = (2, .resourceExhausted) }
        wiring.light.state.withLock { $0.refusal = (4, .busy) }
        error = try await failure { try await wiring.controller.administration.bind(request, budget: Budget(nil)) }
        #expect(error?.code == .bindingUnfinished, "\(error as Any)")
        #expect(error?.reason.contains("what was given to node 'wall' could not be taken back") == true)
        #expect(try wiring.rights.count == 1 && wiring.bindings.isEmpty)
        await wiring.end()
    }

    @Test("if the light keeps the right, the binding comes back")
    func kept() async throws {
        let wiring = try await Wiring()
        let request = try await wiring.request()
        _ = try await wiring.controller.administration.bind(request, budget: Budget(nil))
        wiring.light.state.withLock { $0.refusal = (2, .busy) }
        let error = try await failure {
            try await wiring.controller.administration.unbind(request, budget: Budget(nil))
        }
        #expect(error?.status?.status == .busy, "\(error as Any)")
        #expect(try wiring.bindings == [Self.entry] && wiring.rights.count == 1)
        await wiring.end()
    }

    @Test("an interruption in the middle takes back what was done", arguments: [true, false])
    func interrupted(ofLight: Bool) async throws {
        let wiring = try await Wiring()
        let request = try await wiring.request()
        let work = Mutex<Task<BindingOutcome, any Error>?>(nil)
        (ofLight ? wiring.light : wiring.wall).state.withLock { $0.written = { work.withLock { $0?.cancel() } } }
        let binding = inBackground { try await wiring.controller.administration.bind(request, budget: Budget(nil)) }
        work.withLock { $0 = binding }
        await #expect(throws: (any Error).self) { try await binding.value }
        #expect(try wiring.rights.isEmpty)
        #expect(try wiring.bindings.isEmpty)
        await wiring.end()
    }

    @Test("an unbinding that is interrupted leaves both as they were", arguments: [true, false])
    func interruptedUnbinding(ofLight: Bool) async throws {
        let wiring = try await Wiring()
        let request = try await wiring.request()
        _ = try await wiring.controller.administration.bind(request, budget: Budget(nil))
        let work = Mutex<Task<BindingOutcome, any Error>?>(nil)
        let device = ofLight ? wiring.light : wiring.wall
        device.state.withLock { $0.written = { work.withLock { $0?.cancel() } } }
        let unbinding = inBackground { try await wiring.controller.administration.unbind(request, budget: Budget(nil)) }
        work.withLock { $0 = unbinding }
        await #expect(throws: (any Error).self) { try await unbinding.value }
        #expect(try wiring.bindings == [Self.entry])
        #expect(try wiring.rights.count == 1)
        await wiring.end()
    }
}
