import MatterTestKit

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// Exchanging the keys of a device by jobs that may be cut short anywhere: there is never a node that we cannot reach.
struct Rotating: Play {
    enum Subject: String, CaseIterable, Sendable {
        case identityKey = "identity key"
        case back = "identity key and back"
        case certificates
        case groupKey = "group key"
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
    /// By then a device has gone back to the certificate that it had.
    private static let failSafe = Duration.seconds(90)
    private static let node = NodeID(1)
    private static let group = "lights"

    static let all = Subject.allCases.map { Rotating(subject: $0) }

    var subject: Subject

    var description: String { "rotate \(subject.rawValue)" }
    var faults: Set<Fault> { [.lost, .killed, .restarted] }

    func prepare() async throws { try await Household.prepare() }

    func perform(on stage: Stage) async throws {
        let (devices, folder) = try await Household.enter(stage, [.lamp])
        defer { folder.remove() }
        guard let device = devices.first else { return }
        stage.set(Stage.Device(address: try await device.address, restart: { await device.reboot() }))
        let before = await Facts(device)
        await prepare(stage)
        stage.beginFaults()
        let outcome = await process(stage)
        stage.endFaults()
        await reach(stage, "at once")
        try await stage.time.sleep(for: Stage.aftermath)
        await reach(stage, "afterwards")
        try await stage.time.sleep(for: Self.failSafe)
        await reach(stage, "after the fail-safe")
        await judge(outcome, before, device, stage)
        let last = await process(stage)
        if last != .done { stage.complain("there is no way out: \(last)") }
        await judge(last, before, device, stage)
        await reach(stage, "at the end")
        await device.stop()
    }

    /// The things of a device that are exchanged.
    private struct Facts: Sendable, Equatable {
        var identityKeys: [GroupKeySet.EpochKey]
        var groupKeys: [GroupKeySet.EpochKey]
        var certificate: [UInt8]

        init(_ device: SimulatedDevice) async {
            let fabric = await device.withNode { node, _ in node.fabrics[Household.fabricIndex] }
            identityKeys = fabric?.keySets.first { $0.id == 0 }?.keys ?? []
            groupKeys = fabric?.keySets.first { $0.id != 0 }?.keys ?? []
            certificate = fabric?.operational.noc.tlv ?? []
        }
    }

    // MARK: Processes

    private func prepare(_ stage: Stage) async {
        // The switch is not on the stage.
        await run(stage) { _ = try await $0.context.nodes().remove(NodeID(2)) }
        switch subject {
        case .identityKey, .certificates: break
        case .groupKey:
            await run(stage) { controller in
                let group = try await controller.groups.createGroup(Self.group)
                let node = try found(controller.context.nodes().node(Self.node))
                _ = try await controller.groups.join(
                    group, GroupParty(node, [Household.endpoint]), budget: Budget(Self.budget))
            }
        case .back:
            // All nodes have both keys, and one may use the new one.
            await run(stage) { controller in
                let job = try await controller.rotations.begin(.identityKey, budget: Budget(Self.budget))
                let store = try controller.jobs.store()
                let turn = try found(controller.jobs.keyTurn(of: job, store))
                let node = try found(controller.context.nodes().node(Self.node))
                try await controller.links.withLink(to: node) { link in
                    try await link.ensure(turn.epochKeys, inSet: 0, deadline: link.time.now + Self.budget)
                }
                try await store.note([.done(Self.node), .rotated(.advanced)], of: job.id, at: 1)
            }
        }
    }

    private func run(_ stage: Stage, _ work: @escaping @Sendable (Controller) async throws -> Void) async {
        _ = await stage.process(canBeKilled: false, atMost: Self.budget + Self.more) { controller, _ in
            do { try await work(controller) } catch { stage.complain("it was not prepared: \(error)") }
        }
    }

    /// A process that rotates, or goes on with it.
    private func process(_ stage: Stage) async -> Outcome {
        await stage.process(atMost: Self.budget * 2 + Self.more) { controller, _ in
            await rotate(controller)
        } ?? .killed
    }

    private func rotate(_ controller: Controller) async -> Outcome {
        do {
            let jobs = try controller.jobs.sound().jobs
            if let last = jobs.last, !last.isOpen { return last.isDone ? .done : .pending }
            let budget = Budget(Self.budget)
            let job =
                switch subject {
                case .identityKey: try await controller.rotations.begin(.identityKey, budget: budget)
                case .back: try await controller.rotations.turnBack(.identityKey)
                case .certificates: try await controller.rotations.begin(.certificates, budget: budget)
                case .groupKey:
                    try await controller.rotations.begin(
                        .groupKey(controller.context.groups().find(Self.group)), budget: budget)
                }
            return try await controller.jobs.resume(job.id, within: Self.budget).isDone ? .done : .pending
        } catch {
            return .failed("\(error)")
        }
    }

    // MARK: What must be

    /// A process that knows what is kept, and has no session: the node must answer a full handshake.
    private func reach(_ stage: Stage, _ when: String) async {
        _ = await stage.process(canBeKilled: false, atMost: Self.budget + Self.more) { controller, _ in
            do {
                try controller.context.resumptions().removeAll()
                try controller.context.keptSessions()?.remove(Self.node)
                let node = try found(controller.context.nodes().node(Self.node))
                try await controller.links.withLink(to: node) { link in
                    _ = try await link.accessList(deadline: link.time.now + Self.budget)
                }
            } catch {
                stage.complain("it cannot be reached \(when): \(error)")
            }
        }
    }

    private func judge(_ outcome: Outcome, _ before: Facts, _ device: SimulatedDevice, _ stage: Stage) async {
        let controller = Controller(stage.options(stage.time))
        let now = await Facts(device)
        do {
            let credentials = try controller.context.credentials()
            let keys = now.identityKeys.map(\.key)
            if !keys.contains(credentials.ipkEpochKey) { stage.complain("the node does not have the key that we use") }
            if case .groupKey = subject {
                let group = try controller.context.groups().find(Self.group)
                let key = try controller.context.groups().key(of: group)
                if !now.groupKeys.map(\.key).contains(key) { stage.complain("the member cannot hear us") }
                if outcome == .done, now.groupKeys.count != 1 || now.groupKeys[0].start != group.keyStart {
                    stage.complain("the member has \(now.groupKeys.count) keys, and counts as done")
                }
            }
            guard outcome == .done else { return }
            let old = before.identityKeys.map(\.key)
            switch subject {
            case .identityKey:
                if keys != [credentials.ipkEpochKey] || keys == old { stage.complain("the key is not exchanged") }
            case .back:
                if keys != old { stage.complain("the old key is not the only one again") }
            case .certificates:
                if now.certificate == before.certificate { stage.complain("the certificate is not exchanged") }
                if keys != old { stage.complain("the key is another one") }
            case .groupKey: break
            }
            let secrets = try stage.options(stage.time).state.records(in: "fabrics/home/keys")
            if secrets.contains(where: { $0.contains("/job-") || $0.contains("next") }) {
                stage.complain("keys of the rotation are still here: \(secrets)")
            }
        } catch {
            stage.complain("the state cannot be read: \(error)")
        }
        await controller.close()
    }
}

private struct Missing: Error {}

private func found<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}
