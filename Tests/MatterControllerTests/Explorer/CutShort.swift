import MatterTestKit

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// A commissioning that may be cut short, and the same command after it.
struct CutShort: Play {
    private enum Outcome: Hashable, Sendable {
        case done
        case failed(String)
        case killed
    }

    private static let budget = Duration.seconds(100)
    /// For undoing.
    private static let more = Duration.seconds(25)
    /// After this, a device has forgotten what was not completed.
    private static let failSafe = Duration.seconds(240)

    var description: String { "commissioning" }
    var faults: Set<Fault> { [.lost, .late, .doubled, .killed, .restarted] }

    func perform(on stage: Stage) async throws {
        let folder = try TemporaryState()
        defer { folder.remove() }
        let device = try await Household.device(.lamp, folder.directory, stage.time)
        let address = try await device.address
        stage.set(Stage.Device(address: address, restart: { await device.reboot() }))
        stage.beginFaults()
        var outcome = await process(stage, address)
        if outcome == .done { await judge(device, stage) }
        stage.endFaults()
        // The next command may come at once. A device that keeps the half of it may not be ready again before its time.
        for _ in 0..<2 where outcome != .done {
            outcome = await process(stage, address)
            if outcome == .done { await judge(device, stage) } else { try await stage.time.sleep(for: Self.failSafe) }
        }
        if outcome != .done {
            outcome = await process(stage, address)
            if outcome != .done { stage.complain("there is no way out: \(outcome)") }
        }
        await judge(device, stage)
        await device.stop()
    }

    private func process(_ stage: Stage, _ address: PeerAddress) async -> Outcome {
        await stage.process(atMost: Self.budget + Self.more) { controller, began in
            do {
                try await Household.commission(.lamp, controller, address, until: began + Self.budget)
                return .done
            } catch {
                return .failed("\(error)")
            }
        } ?? .killed
    }

    /// Facts that must be true once a commissioning counts as done.
    private func judge(_ device: SimulatedDevice, _ stage: Stage) async {
        let owner = Controller(stage.options(stage.time))
        do {
            let nodes = try owner.context.nodes().all()
            if nodes.count != 1 { stage.complain("there are \(nodes.count) nodes") }
            let pending = try owner.context.journal().all()
            if !pending.isEmpty { stage.complain("a node is pending still") }
            let fabrics = await device.withNode { node, _ in node.fabrics.all }
            if fabrics.count != 1 { stage.complain("the device is on \(fabrics.count) fabrics") }
            if let fabric = fabrics.first, let node = nodes.first, fabric.operational.identity.nodeID != node.nodeID {
                stage.complain("the device and its record have different node ids")
            }
            if await device.withNode({ node, _ in node.isCommissionable }) {
                stage.complain("the device is open still")
            }
        } catch {
            stage.complain("the state cannot be read: \(error)")
        }
    }
}
