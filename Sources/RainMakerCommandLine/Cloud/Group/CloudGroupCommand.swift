import ArgumentParser
import MatterCommandLine

struct CloudGroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "The groups of the account, and the fabrics that they are.",
        discussion: "Example: matterctl cloud group ls",
        subcommands: [
            CloudGroups.self, CloudCreateFabric.self, CloudConvert.self, CloudDelete.self, CloudUserNOC.self,
        ])
}
