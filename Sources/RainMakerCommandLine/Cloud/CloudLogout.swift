import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudLogout: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "End the session and forget the tokens.",
        discussion: "Example: matterctl cloud logout")

    @Flag(help: "Also end the user's other sessions.") var all = false
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        try await client.logout(all: all)
        console.object {
            Field("profile", client.account.profile)
            Field("result", "logged-out")
        }
    }
}
