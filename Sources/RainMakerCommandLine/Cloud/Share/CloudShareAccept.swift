import ArgumentParser
import MatterCommandLine
import RainMaker

extension CloudShare {
    struct Accept: CloudSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "accept", abstract: "Accept an offer.",
            discussion: "Example: matterctl cloud share accept sh-0001")

        @Argument(help: "The request.") var request: String
        @OptionGroup var options: CloudOptions

        func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
            _ = try await client.call(.answer(request, accept: true))
            console.object {
                Field("request", request)
                Field("result", "accepted")
            }
        }
    }
}
