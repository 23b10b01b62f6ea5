import ArgumentParser
import MatterCommandLine

struct CloudShare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Who has access to the groups: see it, give it, take it away.",
        discussion: "Example: matterctl cloud share ls",
        subcommands: [List.self, Add.self, Remove.self, Requests.self, Accept.self, Decline.self])
}
