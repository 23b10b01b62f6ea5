import ArgumentParser

struct WindowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "window", abstract: "Open a node for another administrator, such as a phone.",
        discussion: "Example: matterctl window open kitchen",
        subcommands: [WindowOpen.self, WindowClose.self, WindowStatus.self])
}

/// `window open` under the name that people look for.
struct Share: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Let another administrator, such as a phone, add a node: 'window open'.",
        discussion: "Example: matterctl share kitchen")

    @OptionGroup var window: WindowOpen

    var node: NodeArgument { window.node }
    var options: NetworkOptions { window.options }

    func run(_ context: CommandContext) async throws { try await window.run(context) }
}
