import ArgumentParser
import JSON
import MatterController
import MatterCrypto
import RainMaker

extension RainMakerDataset {
    struct Show: DatasetSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show whether there is a dataset, and the border agent's id.",
            discussion: "Example: matterctl rainmaker dataset show router")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Flag(help: "Also the dataset itself, which has the network's key in it.") var secrets = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let state = try await device(context).state()
            var list = ValueList(node: try await context.controller.node(node.node))
            list.add("borderAgentId", "border agent", .string(Hex.encode(state.borderAgentID)))
            list.add("hasDataset", "has dataset", .bool(state.dataset != nil))
            if secrets, let dataset = state.dataset {
                list.add("dataset", "dataset", .string(Hex.encode(dataset.copyBytes())))
            }
            list.print(context.console)
        }
    }
}
