import MatterController
import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterRecords
import MatterSession
import MatterTransport
import RainMaker

/// Makes nodes leave: the device, the records here, and the cloud, if the fabric belongs to one.
struct NodeRemoval {
    private let context: CommandContext
    private let store: RainMakerStore
    private let membership: RainMakerMembership?

    init(_ context: CommandContext) async throws {
        let fabric = try await context.controller.fabric()
        self.context = context
        store = RainMakerStore(context.controller.options.state, fabric: fabric.name)
        membership = try store.membership()
    }

    /// - Parameter isGone: the device is gone for good; only records are removed, here and in the cloud.
    func remove(_ node: NodeRecord, isGone: Bool = false, deadline: Instant) async throws {
        let controller = context.controller
        guard membership != nil else {
            return isGone
                ? try await controller.forget(node.nodeID) : try await controller.remove(node, deadline: deadline)
        }
        let removal = PendingRemoval(
            nodeID: node.nodeID, name: node.name, since: controller.options.unixTime())
        // Durable before the device is told: if we do not get to tell the cloud, somebody else will.
        try store.save(removal)
        do {
            if isGone {
                try await controller.forget(node.nodeID)
            } else {
                try await controller.remove(node, deadline: deadline)
            }
        } catch {
            try? store.removeRemoval(of: node.nodeID)
            throw error
        }
        try store.removePending(of: node.nodeID)
        try await tellCloud(removal)
        await ControllerLists(context).update()
    }

    /// Repeats what the cloud could not be told when a node was removed.
    ///
    /// - Parameter text: the node's id, or the name that it had.
    /// - Returns: whether there was anything to repeat.
    func `repeat`(_ text: String) async throws -> Bool {
        let number = NameRule.parseNumber(text).map { NodeID($0) }
        let waiting = try store.allRemovals().first { $0.nodeID == number || $0.name == text }
        guard membership != nil, let waiting else { return false }
        try await tellCloud(waiting)
        await ControllerLists(context).update()
        return true
    }

    private func tellCloud(_ removal: PendingRemoval) async throws {
        guard let membership else { return }
        let state = context.controller.options.state
        let setup = CloudSetup(context)
        do {
            let account = try CloudStore(state).select(membership.profile)
            try await setup.withClient(account) { client in
                try await GroupRemoval(client: client, store: store, groupID: membership.groupID).tell(removal)
            }
        } catch let error as RainMakerError where error.nodeID != nil {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            // The cloud was not even asked.
            var failure = error as? RainMakerError ?? RainMakerError(.connection, "\(error)")
            failure.nodeID = removal.nodeID
            failure.reason =
                "node \(removal.nodeID.rawValue) has left the fabric, but the cloud still lists it: \(failure.reason)"
            failure.hint =
                (failure.hint.map { $0 + "; then " } ?? "")
                + .step("cloud.repeat-removal", "\(removal.nodeID.rawValue)")
            throw failure
        }
    }
}

/// Keeps the device lists of the group's controllers current (docs/rainmaker.md).
struct ControllerLists {
    /// How long a controller may take; nobody waits longer for what is an extra.
    private static let patience = Duration.seconds(15)

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    /// Makes every controller of the fabric read its list of devices. Failures are warnings.
    func update(except new: NodeID? = nil) async {
        do {
            let controllers = try await context.controller.nodes().all().filter { node in
                node.nodeID != new
                    && node.endpoints.contains { $0.serverClusters.contains(ControllerDevice.cluster.rawValue) }
            }
            guard !controllers.isEmpty else { return }
            try await context.withOtherNodes { context in
                for node in controllers { await Self.update(node, context) }
            }
        } catch {
            context.console.message(
                "warning: the group's controllers could not be told: \(TerminalText.escaped("\(error)"))")
        }
    }

    private static func update(_ node: NodeRecord, _ context: CommandContext) async {
        do {
            let deadline = Instant.now + patience
            try await context.controller.withLink(to: node) { link in
                let cluster = try await CustomCluster(
                    ControllerDevice.cluster, ControllerDevice.name, of: node, link: link, deadline: deadline)
                let device = ControllerDevice(cluster)
                // One that was never set up has no list.
                guard try await device.status().isNOCInstalled else { return }
                try await device.updateDeviceList()
            }
        } catch {
            let name = node.name ?? "\(node.nodeID.rawValue)"
            context.console.message(
                "warning: the controller \(TerminalText.escaped(name)) did not update its list of devices "
                    + "(\(TerminalText.escaped("\(error)"))); later: matterctl rainmaker controller update-devices "
                    + TerminalText.escaped(name))
        }
    }
}
