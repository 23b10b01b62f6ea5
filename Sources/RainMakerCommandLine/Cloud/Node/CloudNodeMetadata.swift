import ArgumentParser
import JSON
import MatterCommandLine
import RainMaker

struct CloudNodeMetadata: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "metadata", abstract: "Show a node's metadata, or merge a file into it.",
        discussion: "Example: matterctl cloud node metadata k3vNodeIdExample000001")

    @Argument(help: "The node's id in the cloud.") var node: String
    @Option(help: ArgumentHelp("What to merge: {\"Matter\":{…}}; null deletes a member.", valueName: "FILE")) var set:
        String?
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        if let set {
            _ = try await client.call(.updateMetadata(of: node, try InputFile.object(set)))
            return
        }
        let metadata = try await client.nodes(node).first?.metadata ?? JSONObject()
        console.result(JSONValue.object(metadata).serialized(output.json ? .compact : .indented))
    }
}
