import ArgumentParser

struct WindowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "window", abstract: "Open a node for another administrator, such as a phone.",
        discussion: "Example: matterctl window open kitchen",
        subcommands: [WindowOpen.self, WindowClose.self, WindowStatus.self])
}
