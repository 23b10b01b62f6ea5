import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudNodes: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the nodes of the account.",
        discussion: "Example: matterctl cloud node ls --group 'Lake House'", aliases: ["list"])

    @Option(help: ArgumentHelp("Only this node, by its id in the cloud.", valueName: "ID")) var node: String?
    @Option(help: ArgumentHelp("Only of this group: id or name.", valueName: "GROUP")) var group: String?
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        var id: String?
        if let group { id = try await client.findGroup(group).id }
        let nodes = try await client.nodes(node, group: id)
        console.result(nodes.map { Report($0) })
    }
}

extension Report {
    fileprivate init(_ node: CloudNode) {
        self.init {
            Field("rainmakerNodeId", node.id, column: "ID")
            Field("name", node.name, column: "NAME")
            Field("type", node.type, column: "TYPE")
            Field("role", node.role)
            Field("controller", Self.controller(node), column: "CONTROLLER")
            Field("connected", node.isConnected, column: "CONNECTED", text: node.isConnected.map { $0 ? "yes" : "no" })
            Field("lastChange", node.lastChange.map { X509Time.text(Int64($0 / 1000)) })
            Field("group", node.groupID)
            Field("matterNodeId", node.matterNodeID?.description)
            Field("metadata", node.metadata)
        }
    }

    /// How it is told what to do, if it is a controller: `cluster`, or the kind of its firmware.
    private static func controller(_ node: CloudNode) -> String? {
        if let hub = CloudHub(node) { return hub.kind.rawValue }
        let isHub = node.serverClusters.values.contains { $0.contains(HubDevice.cluster.rawValue) }
        return isHub ? "cluster" : nil
    }
}
