import ArgumentParser

struct CloudCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloud", abstract: "The RainMaker cloud: account, groups, certificates and nodes.",
        discussion: "Example: matterctl cloud login --user me@example.com && matterctl cloud groups",
        subcommands: [
            CloudLogin.self, CloudLogout.self, CloudStatus.self, CloudGroups.self, CloudCreateFabric.self,
            CloudConvert.self, CloudUserNOC.self, CloudIssueNOC.self, CloudConfirm.self, CloudSync.self,
            CloudNodes.self, CloudNodeMetadata.self, CloudDelete.self, CloudShare.self,
        ])
}
