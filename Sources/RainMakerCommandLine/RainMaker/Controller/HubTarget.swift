import MatterCommandLine
import RainMaker

/// The controller that a command is about, if it is one that is told through the cloud.
struct HubTarget {
    let hub: CloudHub
    let hubs: HubsInCloud
    /// The group that the user named, else that of the fabric.
    let groupID: String
}

extension HubSubcommand {
    /// Runs something with a controller that is told through the cloud.
    ///
    /// A node with the cluster, or of which nothing is known, is spoken to directly. Any other name may be that of a
    /// controller in the cloud, which need not be a Matter device.
    ///
    /// - Parameter group: id or name; that of the fabric if left out.
    /// - Returns: false if the controller has to be spoken to directly.
    func throughCloud(
        _ context: CommandContext, group: String? = nil, _ body: (HubTarget) async throws -> Void
    ) async throws -> Bool {
        let record: NodeRecord?
        let unknown: RecordError?
        do {
            (record, unknown) = (try context.controller.nodes.record(of: node.node), nil)
        } catch let error as RecordError where error.code == .unknownNode {
            (record, unknown) = (nil, error)
        }
        if let record {
            let known = record.endpoints.contains { !$0.serverClusters.isEmpty }
            let hasCluster = record.endpoints.contains { $0.serverClusters.contains(HubDevice.cluster.rawValue) }
            guard known, !hasCluster else { return false }
        }
        let setup = CloudSetup(context)
        let fabric = try context.controller.context.fabric().name
        guard let membership = try RainMakerStore(setup.state, fabric: fabric).membership() else {
            if let unknown { throw unknown }
            return false
        }
        let account = try CloudStore(setup.state).select(membership.profile)
        return try await setup.withClient(account) { client in
            let hubs = HubsInCloud(client)
            guard let hub = try await hubs.find(node.node, fabricID: record?.nodeID, in: membership.groupID) else {
                if let unknown { throw unknown }
                return false
            }
            let id = if let group { try await client.findGroup(group).id } else { membership.groupID }
            try await body(HubTarget(hub: hub, hubs: hubs, groupID: id))
            return true
        }
    }
}

extension Report {
    init(_ hub: CloudHub) {
        self.init {
            Field("rainmakerNodeId", hub.nodeID)
            Field("name", hub.name)
            Field("kind", hub.kind.rawValue)
            Field("connected", hub.isConnected)
            Field("url", hub.url, label: "url")
            Field("group", hub.groupID, label: "group")
            Field("status", hub.status)
            Field("nocInstalled", hub.isReady, label: "certificate installed")
        }
    }
}
