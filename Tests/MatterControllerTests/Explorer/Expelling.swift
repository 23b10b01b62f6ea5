import MatterTestKit

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// Adding administrators and removing one of them again, by jobs that may be cut short anywhere.
struct Expelling: Play {
    enum Direction: String, CaseIterable, Sendable {
        case add, remove
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
    private static let names = ["anna", "eve"]

    static let all = Direction.allCases.map { Expelling(direction: $0) }

    var direction: Direction

    var description: String { "\(direction.rawValue) an administrator" }
    var faults: Set<Fault> { [.lost, .late, .doubled, .killed, .restarted] }

    /// The same requests in all runs.
    private static let requests = Result {
        try names.map { name in
            try JoinRequest(
                key: try P256PrivateKey.generate(SeededRandom(UInt64(name.utf8.count))),
                recipient: try AgeIdentity.generate(SeededRandom(7)).recipient, made: 1, host: nil)
        }
    }

    func prepare() async throws { try await Household.prepare() }

    func perform(on stage: Stage) async throws {
        let (devices, folder) = try await Household.enter(stage, [.lamp])
        defer { folder.remove() }
        guard let device = devices.first else { return }
        stage.set(Stage.Device(address: try await device.address, restart: { await device.reboot() }))
        if direction == .remove, await process(stage, .add) != .done { stage.complain("they were not added at first") }
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

    /// A process of the holder that adds two members, or removes one of them.
    private func process(_ stage: Stage, _ direction: Direction) async -> Outcome {
        await stage.process(atMost: Self.budget + Self.more) { owner, _ in
            do {
                // The household has a second node, which is not on this stage.
                for node in try owner.context.nodes().all() where node.nodeID != NodeID(1) {
                    try await owner.administration.forget(node.nodeID)
                }
                return try await run(direction, owner)
            } catch {
                return .failed("\(error)")
            }
        } ?? .killed
    }

    private func run(_ direction: Direction, _ owner: Controller) async throws -> Outcome {
        switch direction {
        case .add:
            for (name, request) in zip(Self.names, try Self.requests.get()) {
                guard let job = try await owner.members.add(name, request).job else { return .failed("no job") }
                guard try await owner.jobs.resume(job.id, within: Self.budget).isDone else { return .pending }
            }
            return .done
        case .remove:
            switch try await owner.members.remove("eve", leavingBehind: ["anna"]) {
            case .waiting: return .failed("it waits")
            case .done: return .done
            case .working(let job):
                let after = job.isOpen ? try await owner.jobs.resume(job.id, within: Self.budget) : job
                return after.isDone ? .done : .pending
            }
        }
    }

    private func judge(_ outcome: Outcome, _ device: SimulatedDevice, _ stage: Stage) async {
        let owner = Controller(stage.options(stage.time))
        do {
            let own = try owner.context.credentials().nodeID
            let access = await device.withNode { node, _ in node.fabrics[Household.fabricIndex]?.access ?? [] }
            if !access.contains(where: { $0.privilege == .administer && $0.subjects ?? [] == [own.rawValue] }) {
                stage.complain("the holder is locked out")
            }
            if access.count > 2 { stage.complain("there are \(access.count) entries") }
            let tags = access.flatMap { $0.subjects ?? [] }.compactMap { CASEAuthenticatedTag(subject: NodeID($0)) }
            let roster = try owner.members.roster()
            switch (outcome, direction) {
            case (.done, .add):
                if tags.map(\.version) != [1] { stage.complain("they are not admitted and count as added") }
                if roster?.members.map(\.name) != Self.names { stage.complain("a member is lost") }
            case (.done, .remove):
                if tags.map(\.version) != [2] { stage.complain("eve is admitted and counts as removed: \(tags)") }
                if roster?.removal != nil || roster?.members.map(\.name) != ["anna"] || roster?.tag.version != 2 {
                    stage.complain("the removal has not ended: \(String(describing: roster))")
                }
            default:
                if direction == .remove, tags.count != 1 { stage.complain("anna is not admitted: \(tags)") }
            }
        } catch {
            stage.complain("the state cannot be read: \(error)")
        }
        await owner.close()
    }
}
