import ArgumentParser
import JSON
import MatterController
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
            var list = ValueList(node: try await context.controller.node(node.node))
            for field in ParticipantDevice.Field.allCases {
                guard let text = data[field] else { continue }
                list.add("\(field)", field.title, .string(text))
            }
            list.print(context.console)
        }
    }
}
