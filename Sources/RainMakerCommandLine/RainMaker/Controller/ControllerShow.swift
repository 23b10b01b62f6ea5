import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerController {
    struct Show: HubSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show how far a controller is set up.",
            discussion: """
                A refresh token of the real cloud has some 1,700 bytes, which fit no message: with --secrets it is missed, \
                and the exit code is 5.

                Example: matterctl rainmaker controller show hub
                """)

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Flag(help: "Also the refresh token, which is as good as the password.") var secrets = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let isDone = try await throughCloud(context) { target in
                // Its data may be newer than what the list tells.
                context.console.result(Report(try await target.hubs.refreshed(target.hub)))
            }
            guard !isDone else { return }
            let device = try await device(context)
            let record = try context.controller.nodes.record(of: node.node)
            let status = try await device.status()
            let token: SecretText?
            do {
                token = secrets ? try await device.token() : nil
            } catch {
                // The rest is not lost for it.
                context.console.result(Report(record, status))
                throw error
            }
            context.console.result(Report(record, status, token: token))
        }
    }
}
