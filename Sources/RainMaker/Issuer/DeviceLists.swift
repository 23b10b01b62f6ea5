import MatterController
import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterRecords
import MatterTransport

/// Keeps the lists of devices that the controllers of a group have current (docs/rainmaker.md).
struct DeviceLists {
    /// How long a controller may take for what is an extra.
    private static let patience = Duration.seconds(15)

    private let controller: Controller

    init(_ controller: Controller) { self.controller = controller }

    /// Makes every controller of the fabric read its list of devices. Failures are warnings.
    func update(except new: NodeID? = nil) async {
        let warn = controller.options.warn
        do {
            let devices = try await controller.nodes().all().filter { node in
                node.nodeID != new
                    && node.endpoints.contains { $0.serverClusters.contains(HubDevice.cluster.rawValue) }
            }
            guard !devices.isEmpty else { return }
            try await controller.withOtherNodes { controller in
                for node in devices { await Self.update(node, controller) }
            }
        } catch {
            warn("the group's controllers could not be told: \(error)", nil)
        }
    }

    private static func update(_ node: NodeRecord, _ controller: Controller) async {
        do {
            let deadline = Instant.now + patience
            try await controller.withLink(to: node) { link in
                let cluster = try await CustomCluster(
                    HubDevice.cluster, HubDevice.name, of: node, link: link, deadline: deadline)
                let device = HubDevice(cluster)
                // One that was never set up has no list.
                guard try await device.status().isNOCInstalled else { return }
                try await device.updateDeviceList()
            }
        } catch {
            let name = node.name ?? "\(node.nodeID.rawValue)"
            controller.options.warn(
                "the controller \(name) did not update its list of devices (\(error))",
                .step("controller.update-devices", name))
        }
    }
}
