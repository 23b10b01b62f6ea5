import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerParticipant {
    struct Show: ParticipantSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the data.",
            discussion: "Example: matterctl rainmaker participant show badge")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let data = try await device(context).data()
            let node = try context.controller.nodes.record(of: node.node)
            context.console.result {
                Field("node", node.nodeID)
                for field in ParticipantDevice.Field.allCases {
                    Field("\(field)", data[field], label: field.title)
                }
            }
        }
    }
}
