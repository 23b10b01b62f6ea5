import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerController {
    struct Setup: HubSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "setup", abstract: "Do all that a controller needs: token, login, certificate, device list.",
            discussion: """
                The controller gets a session of its own: user name and password as for 'cloud login', or a refresh \
                token of such a session with --token-file. Nothing of it is kept here. A controller of newer firmware, \
                which has no cluster for it, is set up through the cloud; NODE may be its id or its name there.

                Example: matterctl rainmaker controller setup hub --user me@example.com
                """)
        static let defaultTimeout = Duration.seconds(180)

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup var login: LoginOptions
        @Option(
            name: .long,
            help: ArgumentHelp("A refresh token is the first line of this file; - for stdin.", valueName: "FILE"),
            completion: .kind(.file))
        var tokenFile: String?
        @Option(help: ArgumentHelp("The cloud that the controller uses; the fabric's if left out.", valueName: "URL"))
        var url: String?
        @Option(
            help: ArgumentHelp(
                "The group of a controller in the cloud: id or name; that of the fabric if left out.",
                valueName: "GROUP"))
        var group: String?
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func validate() throws {
            guard tokenFile == nil || login.isEmpty else {
                throw ValidationError("--token-file cannot be combined with a user name or password")
            }
        }

        func run(_ context: CommandContext) async throws {
            let isDone = try await throughCloud(context, group: group) { target in
                let (cloud, token) = try await account(context)
                let deadline = min(context.deadline, .now + HubsInCloud.patience)
                let hub = try await target.hubs.setUp(
                    target.hub, group: target.groupID, url: try cloud.requireURL(), token: token, deadline: deadline)
                context.console.object(Report(hub))
            }
            guard !isDone else { return }
            guard group == nil else {
                throw CommandLineError(
                    .usageGroup, "--group is for controllers in the cloud: this one has the group of its fabric")
            }
            let record = try context.controller.nodes.record(of: node.node)
            let (cloud, token) = try await account(context)
            let device = try await device(context)
            try await device.setToken(token)
            try await device.authorize(try cloud.requireURL())
            try await device.updateNOC()
            let status = try await checkNOC(of: record, group: cloud.membership?.groupID, context)
            try await self.device(context).updateDeviceList()
            context.console.object(Report(record, status))
        }

        /// The token first: without one nothing is changed at the controller.
        private func account(_ context: CommandContext) async throws -> (ControllerCloud, SecretText) {
            let cloud = try await ControllerCloud(url, context)
            if let tokenFile { return (cloud, try SecretText(InputFile.firstLine(tokenFile))) }
            return (cloud, try await cloud.newToken(login, context))
        }
    }
}
