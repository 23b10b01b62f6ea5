import ArgumentParser
import MatterCommandLine
import RainMaker

extension CloudShare {
    struct Remove: CloudSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take a user's access to a group away in the cloud.",
            discussion: """
                The devices obey the user until they are told too: matterctl rainmaker access refresh --group GROUP.

                Example: matterctl cloud share remove --group 'Lake House' bob@example.com --yes
                """)

        @OptionGroup var access: SharedAccess
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup var options: CloudOptions

        func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
            let found = try await client.findGroup(access.groupName)
            try console.confirm(
                "Take the access to '\(TerminalText.escaped(found.name))' away from \(TerminalText.escaped(access.userName))?",
                given: yes)
            await client.restartBudget()
            _ = try await client.call(.revoke(found.id, from: access.userName))
            console.object {
                Field("group", found.id)
                Field("user", access.userName)
                Field("result", "removed")
            }
            console.message(
                "note: the devices obey this user until: matterctl rainmaker access refresh --group \(TerminalText.escaped(found.id))"
            )
        }
    }
}
