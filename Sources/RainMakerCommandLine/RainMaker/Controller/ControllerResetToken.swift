import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerController {
    struct ResetToken: HubSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-token", abstract: "Make a controller forget its refresh token.",
            discussion: "Example: matterctl rainmaker controller reset-token hub")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            try await device(context).resetToken()
            try tellDone(context)
        }
    }
}
