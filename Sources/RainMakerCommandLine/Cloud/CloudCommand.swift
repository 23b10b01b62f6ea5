import ArgumentParser
import MatterCommandLine

struct CloudCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloud", abstract: "The RainMaker cloud: account, groups, certificates and nodes.",
        discussion: "Example: matterctl cloud login --user me@example.com && matterctl cloud group ls",
        subcommands: [
            CloudLogin.self, CloudLogout.self, CloudStatus.self, CloudGroupCommand.self, CloudNodeCommand.self,
            CloudShare.self, CloudSync.self, CloudIssueNOC.self, CloudConfirm.self,
        ])
}
