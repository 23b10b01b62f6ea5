import ArgumentParser
import MatterCommandLine
import RainMaker

extension CloudShare {
    struct Decline: CloudSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "decline", abstract: "Decline an offer.",
            discussion: "Example: matterctl cloud share decline sh-0001")

        @Argument(help: "The request.") var request: String
        @OptionGroup var options: CloudOptions

        func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
            _ = try await client.call(.answer(request, accept: false))
            console.object {
                Field("request", request)
                Field("result", "declined")
            }
        }
    }
}
