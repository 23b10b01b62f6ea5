import ArgumentParser
import JSON
import MatterCredentials
import MatterDataModel
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
        if output.json {
            console.result(.array(nodes.map(Self.json)))
            return
        }
        console.rows(
            ["ID", "NAME", "TYPE", "CONNECTED"],
            nodes.map { node in
                [
                    node.id, node.name ?? "-", node.type ?? "-", node.isConnected.map { $0 ? "yes" : "no" } ?? "-",
                ].map { TerminalText.escaped($0) }
            })
    }

    static func json(_ node: CloudNode) -> JSONValue {
        var object: JSONObject = ["node": .string(node.id)]
        object["name"] = node.name.map { .string($0) }
        object["type"] = node.type.map { .string($0) }
        object["role"] = node.role.map { .string($0) }
        object["connected"] = node.isConnected.map { .bool($0) }
        object["lastChange"] = node.lastChange.map { .int(Int64($0)) }
        object["group"] = node.groupID.map { .string($0) }
        object["matterNodeId"] = node.matterNodeID.map { .string($0.description) }
        object["metadata"] = node.metadata.map { .object($0) }
        return .object(object)
    }
}
