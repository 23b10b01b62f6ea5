import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerController {
    struct SetToken: HubSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "set-token",
            abstract: "Give a controller a refresh token, in the place of the one that it has.",
            discussion: "Example: matterctl rainmaker controller set-token hub --token-file token")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Option(
            name: .long,
            help: ArgumentHelp("The token is the first line of this file; - for stdin.", valueName: "FILE"),
            completion: .kind(.file))
        var tokenFile: String
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let token = try SecretText(InputFile.firstLine(tokenFile))
            try await device(context).setToken(token)
            try tellDone(context)
        }
    }
}
