import ArgumentParser
import MatterCommandLine
import RainMaker

/// A command that talks to a cloud.
protocol CloudSubcommand: LocalCommand {
    var options: CloudOptions { get }
    func run(_ client: CloudClient, _ setup: CloudSetup) async throws
}

extension CloudSubcommand {
    var output: OutputOptions { options.state.output }
    var console: Console { output.console }

    func execute() async throws {
        let setup = try CloudSetup(options)
        let account = try CloudStore(setup.state).select(options.profileName)
        try await setup.withClient(account) { client in try await run(client, setup) }
    }
}
