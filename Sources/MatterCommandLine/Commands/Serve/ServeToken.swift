public import ArgumentParser
public import HouseServer
import MatterController

extension Role: @retroactive ExpressibleByArgument {}

extension ServeCommand {
    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token", abstract: "The tokens by which the server knows its visitors.",
            discussion: """
                A token is a password that the server makes. It has one role or several: read (see the house), control (switch, dim \
                and set), unlock (locks, garage doors, valves), administer (all of it). Only its hash is kept.

                Example: matterctl serve token ls
                """, subcommands: [List.self, Add.self, Remove.self])
    }
}

extension ServeCommand.Token {
    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the tokens and their roles.",
            discussion: "Example: matterctl serve token ls", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let store = try TokenStore(state.controller().context)
            console.result(try store.tokens().map { Report($0) })
        }
    }

    struct Add: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make a token, and print it; it cannot be shown again.",
            discussion: "Example: matterctl serve token add panel --role control")

        @Argument(help: "A name for it, such as that of the program that will use it.") var name: String
        @Option(help: ArgumentHelp("A role; may be repeated.", valueName: "ROLE")) var role: [Role] = []
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func validate() throws {
            guard !role.isEmpty else {
                let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--role says what the token is for; one of: \(roles)")
            }
            guard TokenStore.isName(name) else {
                throw ValidationError("the name of a token has 1 to 64 characters, and is not 8 hexadecimal digits")
            }
        }

        func execute() async throws {
            let store = try TokenStore(state.controller().context)
            let (token, text) = try await store.add(name, roles: Set(role), now: Terminal.current.unixTime())
            guard !console.isJSON else {
                return console.object {
                    Report(token)
                    Field("token", text)
                }
            }
            console.result(text)
            console.message(
                "this is the token '\(TerminalText.escaped(token.name))'; keep it now, it cannot be shown again")
        }
    }

    struct Remove: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm", abstract: "Take a token back; a running server closes its connections.",
            discussion: "Example: matterctl serve token rm panel", aliases: ["remove"])

        @Argument(help: "The name or the id of the token.") var token: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let removed = try await TokenStore(state.controller().context).remove(token)
            console.object {
                Field("id", removed.id)
                Field("name", removed.name)
                Field("result", "removed")
            }
        }
    }
}

extension Report {
    fileprivate init(_ token: AccessToken) {
        let roles = Role.allCases.filter(token.roles.contains).map(\.rawValue)
        self.init {
            Field("id", token.id, label: "id", column: "ID")
            Field("name", token.name, label: "name", column: "NAME")
            Field("roles", roles, label: "roles", column: "ROLES", text: roles.joined(separator: ", "))
            Field("createdAt", DateText.time(token.created), label: "created at", column: "CREATED AT")
        }
    }
}
