import ArgumentParser

struct PayloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payload", abstract: "Read and make setup codes.",
        discussion: "Example: matterctl payload parse MT:Y.K9042C00KA0648G00", subcommands: [Parse.self, Make.self])
}
