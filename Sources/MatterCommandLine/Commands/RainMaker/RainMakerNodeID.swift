import ArgumentParser
import JSON
import MatterController
import MatterCredentials
import MatterDataModel
import MatterRecords
import RainMaker

struct RainMakerNodeID: CustomClusterCommand {
    static let configuration = CommandConfiguration(
        commandName: "node-id", abstract: "Print the id that a device has in the cloud.",
        discussion: "Example: matterctl rainmaker node-id Porch")

    @Argument(help: "Node id or name.") var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let record = try await context.controller.node(node.node)
        let device = RainMakerDevice(
            link: try await context.controller.link(to: record), node: record, deadline: context.deadline(for: record))
        guard let id = try await device.rainmakerNodeID() else { throw Self.notRainMaker(node) }
        if context.console.isJSON {
            context.console.result(
                .object(["node": .id(record.nodeID.rawValue), "rainmakerNodeId": .string(id)]))
        } else {
            context.console.result(TerminalText.escaped(id))
        }
    }

    static func notRainMaker(_ node: NodeArgument) -> ControllerError {
        ControllerError(
            .unsupportedCluster, "\(NodeTarget(node.node).text) is not a RainMaker device: it has no RainMaker node id",
            hint: "see what it has: matterctl node show \(NodeTarget(node.node).argument)")
    }
}
