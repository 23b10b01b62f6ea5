import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerController {
    struct Authorize: HubSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "authorize", abstract: "Make a controller log in with its token.",
            discussion: "Example: matterctl rainmaker controller authorize hub")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Option(help: ArgumentHelp("The cloud that the controller uses; the fabric's if left out.", valueName: "URL"))
        var url: String?
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let cloud = try await ControllerCloud(url, context)
            try await device(context).authorize(try cloud.requireURL())
            try tellDone(context)
        }
    }
}
