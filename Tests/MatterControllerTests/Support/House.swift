import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// A house with a lamp (node 1) and a switch (node 2), either of which can be off, and processes of its owner, in virtual time.
final class House: Sendable {
    static let lamp = NodeID(1)
    static let button = NodeID(2)
    static let patience = Duration.seconds(20)

    let stage: Stage
    private let folder: TemporaryState
    private let things: Things

    private actor Things {
        var running: [Household.Thing: SimulatedDevice] = [:]
        var others: [SimulatedDevice] = []

        func set(_ thing: Household.Thing, _ device: SimulatedDevice?) { running[thing] = device }
        func add(_ device: SimulatedDevice) { others.append(device) }
    }

    private init(_ stage: Stage) async throws {
        self.stage = stage
        things = Things()
        let (devices, folder) = try await Household.enter(stage, [.lamp, .button])
        self.folder = folder
        for (thing, device) in zip([Household.Thing.lamp, .button], devices) { await things.set(thing, device) }
        try await announce()
    }

    private struct Act: Play {
        let work: @Sendable (House) async throws -> Void
        var description: String { "a house" }
        var faults: Set<Fault> { [] }

        func prepare() async throws { try await Household.prepare() }

        func perform(on stage: Stage) async throws {
            let house = try await House(stage)
            try await work(house)
            for device in await house.things.running.values { await device.stop() }
            for device in await house.things.others { await device.stop() }
            house.folder.remove()
        }
    }

    /// Lets something go on in a house; a fact that is not true, or an error, fails the test.
    static func live(
        _ location: SourceLocation = #_sourceLocation, _ work: @escaping @Sendable (House) async throws -> Void
    ) async throws {
        let report = try await Stage.run(Act(work: work), Schedule())
        #expect(report.violations == [], sourceLocation: location)
    }

    // MARK: Devices

    func device(_ thing: Household.Thing) async throws -> SimulatedDevice {
        guard let device = await things.running[thing] else { throw Missing() }
        return device
    }

    func switchOff(_ thing: Household.Thing) async throws {
        try await device(thing).stop()
        await things.set(thing, nil)
    }

    func switchOn(_ thing: Household.Thing) async throws {
        await things.set(thing, try await Household.device(thing, folder.directory, stage.time))
        try await announce()
    }

    /// A device that is on no fabric.
    func another() async throws -> SimulatedDevice {
        let new = try TemporaryState()
        let device = try await Household.device(.lamp, new.directory, stage.time)
        await things.add(device)
        return device
    }

    /// Tells processes that begin from now on where the devices are.
    private func announce() async throws {
        var places: [Stage.Device] = []
        for (thing, device) in await things.running {
            places.append(Stage.Device(address: try await device.address, node: thing == .lamp ? 1 : 2))
        }
        // One alone would be the only address.
        if places.count == 1 { places.append(Stage.Device(address: places[0].address, node: 99)) }
        stage.set(places)
    }

    /// The part of our fabric on a device.
    func fabric(_ thing: Household.Thing) async throws -> FabricEntry {
        try await Self.fabric(of: device(thing))
    }

    static func fabric(of device: SimulatedDevice) async throws -> FabricEntry {
        guard let fabric = await device.withNode({ node, _ in node.fabrics[Household.fabricIndex] }) else {
            throw Missing()
        }
        return fabric
    }

    /// The identity keys of a device.
    func keys(_ thing: Household.Thing) async throws -> [SecretBytes] {
        try await fabric(thing).keySets.first { $0.id == 0 }?.keys.map(\.key) ?? []
    }

    // MARK: Processes

    func process<Value: Sendable>(
        _ work: @Sendable (Controller) async throws -> Value
    ) async throws -> Value {
        let controller = Controller(stage.options(stage.time))
        do {
            let value = try await work(controller)
            await controller.close()
            return value
        } catch {
            await controller.close()
            throw error
        }
    }

    /// A process that rotates, or goes on with it.
    @discardableResult
    func rotate(_ plan: RotationPlan, knowing known: [NodeID] = []) async throws -> Job {
        try await process { controller in
            let job = try await controller.rotations.begin(plan, knowing: known, budget: Budget(Self.patience))
            return try await controller.jobs.resume(job.id, within: Self.patience)
        }
    }

    /// Goes on until all nodes are done with a phase, and ends there as if it were killed.
    func rotate(_ plan: RotationPlan, throughPhases count: Int) async throws {
        try await process { controller in
            let job = try await controller.rotations.begin(plan, budget: Budget(Self.patience))
            let store = try controller.jobs.store()
            for _ in 0..<count {
                for node in try controller.jobs.records(of: controller.jobs.job(job.id)) {
                    let current = try controller.jobs.job(job.id)
                    try await controller.jobs.work(
                        on: [node], of: current, store, deadline: self.stage.time.now + Self.patience
                    ) { _, _ in }
                }
                try await store.note([.rotated(.advanced)], of: job.id, at: 1)
            }
        }
    }

    func resume(_ job: UInt64) async throws -> Job {
        try await process { try await $0.jobs.resume(job, within: Self.patience) }
    }

    /// The identity key that we use.
    var ownKey: SecretBytes {
        get async throws { try await process { try $0.context.credentials().ipkEpochKey } }
    }

    /// Whether the owner reaches a node by a full handshake.
    func reaches(_ id: NodeID) async -> Bool {
        do {
            return try await process { controller in
                try controller.context.resumptions().removeAll()
                try controller.context.keptSessions()?.remove(id)
                guard let node = try controller.context.nodes().node(id) else { return false }
                return try await controller.links.withLink(to: node) { link in
                    _ = try await link.accessList(deadline: link.time.now + Self.patience)
                    return true
                }
            }
        } catch {
            return false
        }
    }

    /// Notes a fact that is not true.
    func must(_ condition: Bool, _ what: String, line: UInt = #line) {
        if !condition { stage.complain("\(what) (line \(line))") }
    }

    struct Missing: Error {}
}
