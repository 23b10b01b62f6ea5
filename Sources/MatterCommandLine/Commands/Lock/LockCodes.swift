import ArgumentParser
import MatterController

struct LockCodes: DoorLockUsersCommand, OneNodeCommand {
    static let configuration = CommandConfiguration(
        commandName: "codes",
        abstract: "List the users of a lock with their codes; the codes themselves stay in the lock.",
        discussion: "Example: matterctl door-lock codes door")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    func run(_ lock: DoorLockUsers, _ context: CommandContext) async throws {
        context.console.result(try await lock.users().map(Report.init))
    }
}

struct LockAddCode: DoorLockUsersCommand, OneNodeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-code", abstract: "Add a PIN code, for a new user of a lock or for one it has.",
        discussion: """
            The code is the first line of a file or of stdin, or is asked for on a terminal.

            Example: matterctl door-lock add-code door --pin @pin.txt --name Ada
            """)

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @OptionGroup var code: PINOptions
    @Option(name: .line(.name), help: ArgumentHelp("The name of the user, at most 10 bytes.", valueName: "NAME"))
    var name: String?
    @Option(name: .line(.user), help: ArgumentHelp("The user who gets the code, by index or name.", valueName: "USER"))
    var user: String?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func run(_ lock: DoorLockUsers, _ context: CommandContext) async throws {
        let pin =
            try code.code()
            ?? Prompt.line(
                "PIN code to add to \(NodeTarget(node.node).text)", isSecret: true, hint: "use --pin @FILE")
        let owner: LockUser? = if let user { try await lock.user(user) } else { nil }
        let (index, credential) = try await lock.add(pin, to: owner, name: name)
        context.console.result(
            Report {
                Field("user", index.map { Int64($0) }, label: "user")
                Field("code", Int64(credential), label: "code")
            })
    }
}

struct LockRemoveCode: DoorLockUsersCommand, NodeAndUserCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-code",
        abstract: "Remove a user of a lock with all codes and schedules, or one of the codes.",
        discussion: "Example: matterctl door-lock remove-code door Ada")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "The user, by index or name.") var user: String
    @Option(name: .line(.code), help: ArgumentHelp("Only this code of the user.", valueName: "INDEX"))
    var code: UInt16?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { true }

    func run(_ lock: DoorLockUsers, _ context: CommandContext) async throws {
        try await lock.remove(try await lock.user(user), code: code)
        try tellDone(context)
    }
}

extension Report {
    fileprivate init(_ user: LockUser) {
        func word(_ type: String, _ number: UInt8?) -> String? {
            number.flatMap { number in
                Catalogue.standard.cluster(DoorLock.id)?.enums.first { $0.name == type }?.value(UInt64(number))?.name
            }
        }
        self.init {
            Field("user", Int64(user.index), column: "USER")
            Field("name", user.name.isEmpty ? nil : user.name, column: "NAME")
            Field("status", word("UserStatusEnum", user.status?.rawValue), column: "STATUS")
            Field("type", word("UserTypeEnum", user.type?.rawValue), column: "TYPE")
            Field(
                "credentials",
                JSONValue.array(
                    user.credentials.map { credential in
                        Report {
                            Field("type", word("CredentialTypeEnum", credential.type?.rawValue))
                            Field("index", Int64(credential.index))
                        }.json
                    }))
            Field(
                column: "CODES",
                [
                    user.credentials.map { "\(word("CredentialTypeEnum", $0.type?.rawValue) ?? "?") \($0.index)" }
                        .joined(separator: ", ")
                ])
            Field("schedules", JSONValue.array(user.schedules.map { Report($0).json }))
            Field(column: "WHEN", user.schedules.isEmpty ? nil : [user.schedules.map(\.text).joined(separator: "; ")])
        }
    }

    private init(_ schedule: LockSchedule) {
        switch schedule {
        case .weekDays(let days, let from, let until):
            self.init {
                Field("days", JSONValue.array(days.words.map { .string($0) }))
                Field("from", from.description)
                Field("until", until.description)
            }
        case .dates(let from, let until):
            self.init {
                Field("from", LocalTime.text(from))
                Field("until", LocalTime.text(until))
            }
        }
    }
}
