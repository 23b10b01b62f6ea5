import ArgumentParser
import MatterCommandLine
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
            let node = try context.controller.nodes.record(of: node.node)
            let dataset = secrets ? state.dataset : nil
            context.console.result {
                Field("node", node.nodeID)
                Field("borderAgentId", Hex.encode(state.borderAgentID), label: "border agent")
                Field("hasDataset", state.dataset != nil, label: "has dataset")
                Field("dataset", dataset.map { Hex.encode($0.copyBytes()) }, label: "dataset")
            }
        }
    }
}
