import ArgumentParser

struct NetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "net", abstract: "The networks of nodes.", discussion: "Example: matterctl net status kitchen",
        subcommands: [NetStatus.self, NetScan.self, NetAdd.self, NetConnect.self, NetRemove.self])
}
