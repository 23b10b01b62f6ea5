import ArgumentParser
import MatterCommandLine
import MatterController
import RainMaker

extension RainMakerController {
    struct Setup: HubSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "setup", abstract: "Do all that a controller needs: token, login, certificate, device list.",
            discussion: """
                The controller gets a session of its own: user name and password as for 'cloud login', or a refresh \
                token of such a session with --token-file. Nothing of it is kept here.

                Example: matterctl rainmaker controller setup hub --user me@example.com
                """)
        static let defaultTimeout = Duration.seconds(180)

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup var login: LoginOptions
        @Option(
            name: .long,
            help: ArgumentHelp("A refresh token is the first line of this file; - for stdin.", valueName: "FILE"))
        var tokenFile: String?
        @Option(help: ArgumentHelp("The cloud that the controller uses; the fabric's if left out.", valueName: "URL"))
        var url: String?
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func validate() throws {
            guard tokenFile == nil || login.isEmpty else {
                throw ValidationError("--token-file cannot be combined with a user name or password")
            }
        }

        func run(_ context: CommandContext) async throws {
            let record = try await context.controller.record(of: node.node)
            // The token first: without one nothing is changed at the controller.
            let cloud = try await HubAccount(url, context)
            let token =
                if let tokenFile { try SecretText(InputFile.firstLine(tokenFile)) } else {
                    try await cloud.newToken(login, context)
                }
            let device = try await device(context)
            try await device.setToken(token)
            try await device.authorize(try cloud.requireURL())
            try await device.updateNOC()
            let status = try await checkNOC(of: record, group: cloud.membership?.groupID, context)
            try await self.device(context).updateDeviceList()
            context.console.object(Report(record, status))
        }
    }
}
