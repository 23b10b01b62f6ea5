import ArgumentParser
import MatterCommandLine
import RainMaker

extension CloudShare {
    struct List: CloudSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List who has access.", discussion: "Example: matterctl cloud share ls",
            aliases: ["list"])

        @Option(help: ArgumentHelp("Only of this group: id or name.", valueName: "GROUP")) var group: String?
        @OptionGroup var options: CloudOptions

        func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
            var id: String?
            if let group { id = try await client.findGroup(group).id }
            let sharing = try await client.sharing(id)
            guard !console.isJSON else { return console.result(sharing.map { Report($0) }) }
            console.rows(
                ["GROUP", "USER", "ROLE"],
                sharing.flatMap { entry in
                    entry.primary.map { [entry.groupID, $0, "primary"] }
                        + entry.secondary.map { [entry.groupID, $0, "secondary"] }
                }.map { $0.map { TerminalText.escaped($0) } })
        }
    }
}

extension Report {
    fileprivate init(_ sharing: CloudSharing) {
        self.init {
            Field("group", sharing.groupID)
            Field("primary", sharing.primary)
            Field("secondary", sharing.secondary)
        }
    }
}
