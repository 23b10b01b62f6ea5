import MatterTestKit

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// Coming onto the fabric of another controller beside it, and leaving it again, by jobs that may be cut short anywhere.
struct Joining: Play {
    enum Direction: String, CaseIterable, Sendable {
        case join, leave
    }

    private enum Outcome: Hashable, Sendable {
        case done
        case pending
        case failed(String)
        case killed
    }

    private static let budget = Duration.seconds(25)
    /// For undoing.
    private static let more = Duration.seconds(25)
    private static let guest = "guest"

    static let all = Direction.allCases.map { Joining(direction: $0) }

    var direction: Direction

    var description: String { "\(direction.rawValue) beside another controller" }
    var faults: Set<Fault> { [.lost, .late, .doubled, .killed, .restarted] }

    func prepare() async throws { try await Household.prepare() }

    func perform(on stage: Stage) async throws {
        let (devices, folder) = try await Household.enter(stage, [.lamp])
        defer { folder.remove() }
        guard let device = devices.first else { return }
        stage.set(Stage.Device(address: try await device.address, restart: { await device.reboot() }))
        if direction == .leave, await process(stage, .join) != .done { stage.complain("it was not joined at first") }
        stage.beginFaults()
        let outcome = await process(stage, direction)
        stage.endFaults()
        try await stage.time.sleep(for: Stage.aftermath)
        await judge(outcome, device, stage)
        let last = await process(stage, direction)
        if last != .done { stage.complain("there is no way out: \(last)") }
        await judge(last, device, stage)
        await device.stop()
    }

    /// A process that imports the store of the owner, or takes that back.
    private func process(_ stage: Stage, _ direction: Direction) async -> Outcome {
        await stage.process(atMost: Self.budget + Self.more) { owner, _ in
            var options = owner.options
            options.fabric = Self.guest
            let controller = Controller(options)
            let outcome = await run(direction, owner, controller)
            await controller.close()
            return outcome
        } ?? .killed
    }

    private func run(_ direction: Direction, _ owner: Controller, _ controller: Controller) async -> Outcome {
        do {
            let fabric = try neighbour(owner)
            let job: Job?
            switch direction {
            case .join: job = try await owner.neighbours.join(fabric, name: Self.guest).job
            case .leave:
                // It may have ended when all was done.
                guard try owner.fabrics.isHere(Self.guest) else { return .done }
                job = try await owner.neighbours.leave(fabric, name: Self.guest).job
            }
            guard let job else { return .done }
            return try await controller.jobs.resume(job.id, within: Self.budget).isDone ? .done : .pending
        } catch {
            return .failed("\(error)")
        }
    }

    /// The fabric of the owner, as a store of another program has it.
    private func neighbour(_ owner: Controller) throws -> NeighbourFabric {
        let record = try owner.context.fabric()
        let credentials = try owner.context.credentials()
        var material = NeighbourMaterial(place: "the other program")
        material.root = record.root
        material.noc = record.noc
        material.keys = [try owner.fabrics.authority(of: record).rootKey?.copyBytes()].compactMap { $0 }
        material.epochKey = credentials.ipkEpochKey.copyBytes()
        material.nodes = try owner.context.nodes().all().filter { $0.nodeID == NodeID(1) }
        return try NeighbourFabric(
            checking: material, ipk: nil, at: owner.context.validationTime, validity: owner.context.validity)
    }

    private func judge(_ outcome: Outcome, _ device: SimulatedDevice, _ stage: Stage) async {
        let owner = Controller(stage.options(stage.time))
        do {
            let own = try owner.context.credentials().nodeID
            let access = await device.withNode { node, _ in node.fabrics[Household.fabricIndex]?.access ?? [] }
            if !access.contains(where: { $0.privilege == .administer && $0.subjects ?? [] == [own.rawValue] }) {
                stage.complain("the other controller is locked out")
            }
            let others = access.count { $0.privilege == .administer && $0.subjects ?? [] != [own.rawValue] }
            if access.count > 2 || others > 1 { stage.complain("there are \(access.count) entries") }
            let keys = try stage.options(stage.time).state.records(in: "fabrics/\(Self.guest)/keys")
            let isKeyHere = keys.contains { $0.contains("/job-") }
            switch (outcome, direction) {
            case (.done, .join):
                if others != 1 { stage.complain("it is not joined and counts as done") }
                if isKeyHere { stage.complain("the other controller's identity is still here") }
            case (.done, .leave):
                if others != 0 { stage.complain("it is not left and counts as done") }
                if try owner.fabrics.isHere(Self.guest) { stage.complain("the fabric is still here") }
            default: break
            }
        } catch {
            stage.complain("the state cannot be read: \(error)")
        }
        await owner.close()
    }
}
