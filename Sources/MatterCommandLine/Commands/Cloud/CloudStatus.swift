import ArgumentParser
import JSON
import MatterDataModel
import MatterErrors
import MatterHTTP
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
                hint: "log in first: matterctl cloud login")
        }
        let name = offline ? client.account.userName : try await client.user().userName
        var object: JSONObject = [
            "profile": .string(client.account.profile), "url": .string(client.account.url.description),
        ]
        object["user"] = name.map { .string($0) }
        object["tokenExpires"] = try await client.session()?.expires.map { .int($0) }
        if output.json {
            console.result(.object(object))
        } else {
            for member in object.members {
                let text = member.value.stringValue ?? member.value.serialized()
                console.result("\(member.key)\t\(TerminalText.escaped(text))")
            }
        }
    }
}
