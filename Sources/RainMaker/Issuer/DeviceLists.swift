import MatterController

/// Keeps the lists of devices that the controllers of a group have current (docs/rainmaker.md).
struct DeviceLists {
    /// How long a controller may take for what is an extra.
    private static let patience = Duration.seconds(15)

    private let links: NodeLinks
    private let groupID: String

    /// - Parameter groupID: the group whose controllers are told.
    init(_ links: NodeLinks, groupID: String) {
        self.links = links
        self.groupID = groupID
    }

    /// Makes every controller of the group read its list of devices: those with the cluster by a command, those of newer
    /// firmware through the cloud. Failures are warnings.
    func update(except new: NodeID? = nil, _ client: CloudClient) async {
        await updateInCloud(client)
        await updateOnFabric(except: new)
    }

    private func updateInCloud(_ client: CloudClient) async {
        let warn = links.context.options.warn
        let hubs = HubsInCloud(client)
        do {
            for hub in try await hubs.list(in: groupID) where hub.follows(groupID) {
                do {
                    try await hubs.tell(hub, .updateDeviceList)
                } catch {
                    warn(
                        "the controller \(hub.name) was not told to update its list of devices (\(error))",
                        .step("controller.update-devices", hub.nodeID))
                }
            }
        } catch {
            warn("the group's newer controllers could not be told: \(error)", nil)
        }
    }

    private func updateOnFabric(except new: NodeID?) async {
        let warn = links.context.options.warn
        do {
            let devices = try links.context.nodes().all().filter { node in
                node.nodeID != new
                    && node.endpoints.contains { $0.serverClusters.contains(HubDevice.cluster.rawValue) }
            }
            guard !devices.isEmpty else { return }
            try await links.withOtherNodes { links in
                for node in devices { await Self.update(node, links) }
            }
        } catch {
            warn("the group's controllers could not be told: \(error)", nil)
        }
    }

    private static func update(_ node: NodeRecord, _ links: NodeLinks) async {
        do {
            let deadline = Instant.now + patience
            try await links.withLink(to: node) { link in
                let cluster = try await CustomCluster(
                    HubDevice.cluster, HubDevice.name, of: node, link: link, deadline: deadline)
                let device = HubDevice(cluster)
                // One that was never set up has no list.
                guard try await device.status().isNOCInstalled else { return }
                try await device.updateDeviceList()
            }
        } catch {
            let name = node.name ?? "\(node.nodeID.rawValue)"
            links.context.options.warn(
                "the controller \(name) did not update its list of devices (\(error))",
                .step("controller.update-devices", name))
        }
    }
}
