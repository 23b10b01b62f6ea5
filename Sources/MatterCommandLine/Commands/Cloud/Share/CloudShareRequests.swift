import ArgumentParser
import JSON
import MatterDataModel
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
            if output.json {
                console.result(.array(requests.map(Self.json)))
                return
            }
            console.rows(
                ["REQUEST", "STATUS", "GROUPS", "FROM", "TO"],
                requests.map { request in
                    [
                        request.id, request.status ?? "-",
                        (request.groupNames.isEmpty ? request.groupIDs : request.groupNames).joined(separator: ", "),
                        request.primaryUserName ?? "-", request.userName ?? "-",
                    ].map { TerminalText.escaped($0) }
                })
        }

        private static func json(_ request: CloudSharingRequest) -> JSONValue {
            var object: JSONObject = [
                "request": .string(request.id), "groups": .array(request.groupIDs.map { .string($0) }),
                "names": .array(request.groupNames.map { .string($0) }),
            ]
            object["status"] = request.status.map { .string($0) }
            object["from"] = request.primaryUserName.map { .string($0) }
            object["to"] = request.userName.map { .string($0) }
            return .object(object)
        }
    }
}
