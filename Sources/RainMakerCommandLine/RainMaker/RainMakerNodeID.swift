import ArgumentParser
import MatterCommandLine
import RainMaker

struct RainMakerNodeID: CustomClusterCommand {
    static let configuration = CommandConfiguration(
        commandName: "node-id", abstract: "Print the id that a device has in the cloud.",
        discussion: "Example: matterctl rainmaker node-id Porch")

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let device = RainMakerDevice(
            link: try await context.controller.links.link(to: record), node: record,
            deadline: context.deadline(for: record))
        guard let id = try await device.rainmakerNodeID() else { throw Self.notRainMaker(node) }
        context.console.result {
            Field("node", record.nodeID)
            Field("rainmakerNodeId", id, label: "")
        }
    }

    static func notRainMaker(_ node: NodeArgument) -> ControllerError {
        ControllerError(
            .unsupportedCluster, "\(NodeTarget(node.node).text) is not a RainMaker device: it has no RainMaker node id",
            hint: .step("node.show", NodeTarget(node.node).argument))
    }
}
