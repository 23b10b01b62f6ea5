import ArgumentParser

struct NodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "The nodes of a fabric.",
        discussion: "Example: matterctl node show kitchen",
        subcommands: [
            List.self, Show.self, Set.self, Rename.self, Refresh.self, Disconnect.self, Forget.self, Remove.self,
            FabricsCommand.self,
        ])
}
