import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerDataset {
    struct Stop: DatasetSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Stop the Thread network.",
            discussion: "Example: matterctl rainmaker dataset stop router")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            try await device(context).stopNetwork()
            try tellDone(context)
        }
    }
}
