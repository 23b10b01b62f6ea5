import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerDataset {
    struct Start: DatasetSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start the Thread network.",
            discussion: "Example: matterctl rainmaker dataset start router")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            try await device(context).startNetwork()
            try tellDone(context)
        }
    }
}
