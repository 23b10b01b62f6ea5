import ArgumentParser
import MatterCommandLine
import RainMaker

extension CloudShare {
    struct Requests: CloudSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "requests", abstract: "List the offers that wait for an answer.",
            discussion: "Example: matterctl cloud share requests")

        @Flag(help: "The offers from this user instead of those to this user.") var sent = false
        @OptionGroup var options: CloudOptions

        func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
            let requests = try await client.sharingRequests(sent: sent)
            console.result(requests.map { Report($0) })
        }
    }
}

extension Report {
    fileprivate init(_ request: CloudSharingRequest) {
        let names = request.groupNames.isEmpty ? request.groupIDs : request.groupNames
        self.init {
            Field("request", request.id, column: "REQUEST")
            Field(column: "STATUS", request.status.map { [$0] })
            Field("groups", request.groupIDs, column: "GROUPS", text: names.joined(separator: ", "))
            Field("names", request.groupNames)
            Field("status", request.status)
            Field("from", request.primaryUserName, column: "FROM")
            Field("to", request.userName, column: "TO")
        }
    }
}
