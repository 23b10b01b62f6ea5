import ArgumentParser
import MatterController

/// Networks of the house, where `net` is about those of a node.
struct NetworkCredentialsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network", abstract: "The networks that new devices are to join.",
        discussion: "Example: matterctl network credentials add --wifi Home", subcommands: [Credentials.self])

    struct Credentials: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "credentials", abstract: "Passwords and datasets for new devices; they are never shown again.",
            discussion: """
                commission takes them for a device that needs a network when none is named.

                Example: matterctl network credentials add --wifi Home
                """, subcommands: [List.self, Add.self, Forget.self])
    }
}

extension NetworkCredentialsCommand.Credentials {
    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the networks with stored credentials, without these.",
            discussion: "Example: matterctl network credentials ls", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            console.result(try NetworkStore(try state.state()).all().map(Report.init))
        }
    }

    struct Add: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Store the credentials of a network, in place of older ones.",
            discussion: """
                The password is the first line of a file or of stdin, or is asked for on a terminal.

                Example: matterctl network credentials add --wifi Home --wifi-password @wifi.txt
                """)

        @OptionGroup var network: NetworkJoinOptions
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func validate() throws {
            guard network.isGiven else { throw ValidationError("give --wifi SSID, or --thread @FILE or auto") }
        }

        func execute() async throws {
            let store = NetworkStore(try state.state())
            // A password that was stored before is what is to be replaced.
            if network.wifi != nil, network.wifiPassword == nil, !network.wifiOpen, !console.canAsk {
                throw CommandLineError(
                    .usageNoPassword,
                    "the password of the network is needed, and there is no terminal to ask for it",
                    hint: .step("network.password-needed"))
            }
            let credentials = try await network.credentials(
                nil, console, state.output, patience: .seconds(30))
            for credential in credentials { try store.save(StoredNetwork(credential)) }
            console.objects(credentials.map { Report(StoredNetwork($0)) })
        }
    }

    struct Forget: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Forget the stored credentials of a network.",
            discussion: "Example: matterctl network credentials forget Home")

        @Argument(help: "The name of the network, or its id in hexadecimal digits.") var network: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let store = NetworkStore(try state.state())
            let found = try store.named(network)
            guard !found.isEmpty else {
                throw RecordError(
                    .unknownNetwork, "no credentials of a network '\(network)' are stored", network,
                    among: try store.all().map(\.name), see: .step("network.see"))
            }
            for network in found { try store.forget(network) }
            console.objects(
                found.map { network in
                    Report {
                        Report(network)
                        Field("result", "forgotten")
                    }
                })
        }
    }
}

extension Report {
    /// A stored network without its secret.
    fileprivate init(_ network: StoredNetwork) {
        self.init {
            Field("network", network.name, column: "NETWORK")
            Field("kind", network.kind.rawValue, column: "KIND")
            Field("networkId", Hex.encode(network.id, uppercase: true), column: "ID")
        }
    }
}
