import ArgumentParser
import MatterCommandLine
import RainMaker

extension CloudShare {
    struct Add: CloudSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Offer a group to another user, who has to accept it.",
            discussion: """
                A secondary user may operate the devices; a primary one may do everything.

                Example: matterctl cloud share add --group 'Lake House' bob@example.com
                """)

        @OptionGroup var access: SharedAccess
        @Flag(help: "As a primary user.") var primary = false
        @OptionGroup var options: CloudOptions

        func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
            let found = try await client.findGroup(access.groupName)
            let answer = try await client.call(
                .share(found.id, name: found.name, with: access.userName, primary: primary))
            guard let request = answer["request_id"]?.stringValue else {
                // There is no request where the user is a member already.
                return console.message("the cloud changed the role of this member at once")
            }
            console.result { Field("request", request, label: "") }
        }
    }
}
