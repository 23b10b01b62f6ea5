import ArgumentParser
import JSON
import MatterDataModel
import RainMaker

struct CloudShare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Who has access to the groups: see it, give it, take it away.",
        discussion: "Example: matterctl cloud share ls",
        subcommands: [List.self, Add.self, Remove.self, Requests.self, Accept.self, Decline.self])

    struct List: CloudSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List who has access.", discussion: "Example: matterctl cloud share ls",
            aliases: ["list"])

        @Option(help: ArgumentHelp("Only of this group: id or name.", valueName: "GROUP")) var group: String?
        @OptionGroup var options: CloudOptions

        func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
            var id: String?
            if let group { id = try await client.findGroup(group).id }
            let sharing = try await client.sharing(id)
            if output.json {
                console.result(
                    .array(
                        sharing.map { entry in
                            [
                                "group": .string(entry.groupID), "primary": .array(entry.primary.map { .string($0) }),
                                "secondary": .array(entry.secondary.map { .string($0) }),
                            ]
                        }))
                return
            }
            console.rows(
                ["GROUP", "USER", "ROLE"],
                sharing.flatMap { entry in
                    entry.primary.map { [entry.groupID, $0, "primary"] }
                        + entry.secondary.map { [entry.groupID, $0, "secondary"] }
                }.map { $0.map { TerminalText.escaped($0) } })
        }
    }

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
            let request = answer["request_id"]?.stringValue ?? ""
            console.result(
                output.json
                    ? JSONValue.object(["request": .string(request)]).serialized() : TerminalText.escaped(request))
        }
    }

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
            console.message(
                "note: the devices obey this user until: matterctl rainmaker access refresh --group \(TerminalText.escaped(found.id))"
            )
        }
    }

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

    struct Accept: CloudSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "accept", abstract: "Accept an offer.",
            discussion: "Example: matterctl cloud share accept sh-0001")

        @Argument(help: "The request.") var request: String
        @OptionGroup var options: CloudOptions

        func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
            _ = try await client.call(.answer(request, accept: true))
        }
    }

    struct Decline: CloudSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "decline", abstract: "Decline an offer.",
            discussion: "Example: matterctl cloud share decline sh-0001")

        @Argument(help: "The request.") var request: String
        @OptionGroup var options: CloudOptions

        func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
            _ = try await client.call(.answer(request, accept: false))
        }
    }
}

/// The group, and the user whose access to it is meant.
struct SharedAccess: ParsableArguments {
    @Option(help: ArgumentHelp("The group: id or name.", valueName: "GROUP")) var group: String?
    @Argument(help: "The other user's name.") var user: String
    /// Earlier versions took the group and then the user.
    @Argument(help: .hidden) var oldUser: String?

    var groupName: String { group ?? user }
    var userName: String { oldUser ?? user }

    func validate() throws {
        guard group != nil || oldUser != nil else { throw ValidationError("say which group: --group GROUP") }
        guard group == nil || oldUser == nil else { throw ValidationError("only one group and one user can be given") }
    }
}
