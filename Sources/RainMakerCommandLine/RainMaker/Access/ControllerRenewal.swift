import MatterCommandLine
import RainMaker

/// Gives the controllers of a group certificates with its present tags. Devices that ask for the new version of a tag would
/// lock out a controller whose certificate has the old one, so this comes first.
struct HubRenewal: Sendable {
    /// How long one controller may take: it talks to the cloud meanwhile.
    private static let patience = Duration.seconds(60)

    private let context: CommandContext
    private let fabric: CloudFabric
    private let groupID: String

    /// - Parameters:
    ///   - context: on the group's fabric, with the patience that commands of controllers need.
    ///   - groupID: whose certificate each controller should get.
    init(_ context: CommandContext, fabric: CloudFabric, groupID: String) {
        self.context = context
        self.fabric = fabric
        self.groupID = groupID
    }

    struct Failure {
        var node: NodeRecord
        var error: any Error
    }

    /// Renews what has to be renewed.
    ///
    /// - Returns: the controllers that got a new certificate, and those that need one and did not.
    func renew(_ nodes: [NodeRecord]) async throws -> (renewed: [NodeRecord], failures: [Failure]) {
        var renewed: [NodeRecord] = []
        var failures: [Failure] = []
        for node in nodes where isController(node) {
            do {
                if try await renew(node) { renewed.append(node) }
            } catch let error as CancellationError {
                throw error
            } catch let error as ControllerError where error.code == .unsupportedCluster && node.endpoints.isEmpty {
                continue
            } catch {
                // One of which nothing is known is no controller, as far as anybody can tell.
                if !node.endpoints.isEmpty { failures.append(Failure(node: node, error: error)) }
            }
        }
        return (renewed, failures)
    }

    private func isController(_ node: NodeRecord) -> Bool {
        node.endpoints.isEmpty
            || node.endpoints.contains { $0.serverClusters.contains(HubDevice.cluster.rawValue) }
    }

    /// - Returns: whether it needed a new certificate, and got it.
    private func renew(_ node: NodeRecord) async throws -> Bool {
        // One that is silent must leave time for the others, and for what comes after.
        let deadline = Instant.now + min(Self.patience, Instant.now.duration(to: context.deadline) / 2)
        let device = try await device(node, deadline)
        let status = try await device.status()
        // One that was never set up, or not for this group, has none of the group's tags.
        guard status.isNOCInstalled, status.groupID == groupID || status.groupID.isEmpty else { return false }
        guard try await !certificate(of: node, deadline).satisfies(fabric) else { return false }
        try await updateNOC(device, status)
        try await context.controller.links.endSession(with: node.nodeID)
        let renewed = try await self.device(node, deadline)
        _ = try await renewed.checkNOC(group: groupID)
        guard try await certificate(of: node, deadline).satisfies(fabric) else {
            throw ControllerError(.status, "the controller's new certificate has an old tag, too")
        }
        do {
            try await renewed.updateDeviceList()
        } catch let error as CancellationError {
            throw error
        } catch {
            let name = TerminalText.escaped(node.name ?? "\(node.nodeID.rawValue)")
            context.console.message(
                "warning: the controller \(name) did not update its list of devices; later: "
                    + "matterctl rainmaker controller update-devices \(name)")
        }
        return true
    }

    private func updateNOC(_ device: HubDevice, _ status: HubDevice.Status) async throws {
        do {
            try await device.updateNOC()
        } catch let error as ControllerError where error.code == .status {
            // Its login may be over.
            guard let url = try? CloudAccount.url(parsing: status.url) else { throw error }
            try await device.authorize(url)
            try await device.updateNOC()
        }
    }

    private func device(_ node: NodeRecord, _ deadline: Instant) async throws -> HubDevice {
        HubDevice(
            try await CustomCluster(
                HubDevice.cluster, HubDevice.name, of: node,
                link: context.controller.links.link(to: node), deadline: deadline))
    }

    private func certificate(of node: NodeRecord, _ deadline: Instant) async throws -> HubCertificate {
        try await HubCertificate(of: context.controller.links.link(to: node), deadline: deadline)
    }
}
