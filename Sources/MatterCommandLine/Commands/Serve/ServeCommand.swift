import ArgumentParser

/// The server of the house.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "The server of the house, and who may use it.",
        discussion: "Example: matterctl serve token add panel --role control", subcommands: [Token.self])
}
