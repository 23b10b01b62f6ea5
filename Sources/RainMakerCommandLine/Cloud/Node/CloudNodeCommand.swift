import ArgumentParser
import MatterCommandLine

struct CloudNodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "The nodes of the account, and what the cloud knows of them.",
        discussion: "Example: matterctl cloud node ls", subcommands: [CloudNodes.self, CloudNodeMetadata.self])
}
