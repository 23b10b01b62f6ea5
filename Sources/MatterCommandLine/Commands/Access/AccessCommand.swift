import ArgumentParser

struct AccessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "acl", abstract: "Who may do what on devices.",
        discussion: "Example: matterctl acl ls kitchen",
        subcommands: [AccessList.self, AccessGrant.self, AccessRevoke.self, AccessSet.self])
}
