import ArgumentParser
import MatterCommandLine
import RainMaker

struct RainMakerChallenge: CustomClusterCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenge", abstract: "Have a device sign its node id, and print the signature.",
        discussion: """
            A device signs a few times only until it is restarted. What it gives is what the cloud asks for: \
            matterctl cloud confirm REQUEST --group GROUP --rainmaker-node ID --signature HEX.

            Example: matterctl rainmaker challenge Porch
            """)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let device = RainMakerDevice(
            link: try await context.controller.links.link(to: record), node: record,
            deadline: context.deadline(for: record))
        guard let evidence = try await device.prove(as: record.nodeID.description) else {
            throw RainMakerNodeID.notRainMaker(node)
        }
        context.console.result {
            Field("node", record.nodeID)
            Field("rainmakerNodeId", evidence.nodeID, label: "rainmaker node")
            Field("matterNodeId", record.nodeID.description, label: "matter node")
            Field("signature", evidence.signature, label: "signature")
        }
    }
}
