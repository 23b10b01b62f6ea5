import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudStatus: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show who is logged in where.", discussion: "Example: matterctl cloud status")

    @Flag(help: "Do not ask the cloud whether the session is still valid.") var offline = false
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        guard try await client.session() != nil else {
            throw RainMakerError(
                .notLoggedIn, "you are not logged in to the cloud (profile '\(client.account.profile)')",
                hint: .step("cloud.log-in"))
        }
        let name = offline ? client.account.userName : try await client.user().userName
        let expires = try await client.session()?.expires
        console.result {
            Field("profile", client.account.profile, label: "profile")
            Field("url", client.account.url.description, label: "url")
            Field("user", name, label: "user")
            Field("tokenExpires", expires.map { X509Time.text(max(0, $0)) }, label: "tokenExpires")
        }
    }
}
