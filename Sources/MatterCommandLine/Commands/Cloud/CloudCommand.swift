import ArgumentParser

struct CloudCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloud", abstract: "The RainMaker cloud: account, groups, certificates and nodes.",
        discussion: "Example: matterctl cloud login --user me@example.com && matterctl cloud group ls",
        subcommands: [
            CloudLogin.self, CloudLogout.self, CloudStatus.self, CloudGroupCommand.self, CloudNodeCommand.self,
            CloudShare.self, CloudSync.self, CloudIssueNOC.self, CloudConfirm.self,
        ])
}

struct CloudGroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "The groups of the account, and the fabrics that they are.",
        discussion: "Example: matterctl cloud group ls",
        subcommands: [
            CloudGroups.self, CloudCreateFabric.self, CloudConvert.self, CloudDelete.self, CloudUserNOC.self,
        ])
}

struct CloudNodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "The nodes of the account, and what the cloud knows of them.",
        discussion: "Example: matterctl cloud node ls", subcommands: [CloudNodes.self, CloudNodeMetadata.self])
}
