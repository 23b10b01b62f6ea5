import ArgumentParser

struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Groups of endpoints that one message reaches.",
        discussion: """
            A command to group:NAME in place of a node is sent once, to all members; none of them answers.

            Example: matterctl group create lights && matterctl group add lights kitchen hall && matterctl on group:lights
            """, subcommands: [Create.self, List.self, Add.self, Remove.self, Rekey.self, Delete.self])
}
