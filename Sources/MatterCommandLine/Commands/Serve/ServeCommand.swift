import ArgumentParser

/// The server of the house.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "The server of the house, and who may use it.",
        discussion: "Example: matterctl serve --listen 127.0.0.1:5580",
        subcommands: [ServeRun.self, Take.self, Shares.self, Token.self],
        defaultSubcommand: ServeRun.self)
}
