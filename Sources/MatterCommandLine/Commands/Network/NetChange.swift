import ArgumentParser
import MatterController

/// A command that changes the networks of a node.
protocol NetChangeCommand: NodeSubject {}

extension NetChangeCommand {
    /// A radio takes its time, and then the node has to be found again.
    static var defaultTimeout: Duration { .seconds(180) }

    func carryOut(_ change: NetworkChange, _ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let console = context.console
        let isTold = context.progress != .none
        let interface = try await context.controller.administration.change(
            change, of: record, endpoint: node.endpoint, title: NodeTarget(node.node).text, budget: context.budget
        ) { note in if isTold { console.message(TerminalText.escaped(note)) } }
        console.object {
            Field("node", record.nodeID)
            Field("name", record.name)
            Report(interface)
        }
    }

    /// The id of a network that a node has: an SSID, `hex:…`, or the digits of an extended PAN id.
    func id(of network: String, _ context: CommandContext) async throws -> [UInt8] {
        let record = try context.controller.nodes.record(of: node.node)
        let state = try await context.controller.administration.networkState(
            of: record, title: NodeTarget(node.node).text, budget: context.budget)
        let known = state.commissioning.flatMap(\.networks).map(\.id)
        return known.first { NetworkName.text($0) == network }
            ?? known.first { Hex.encode($0).lowercased() == network.lowercased() } ?? Array(network.utf8)
    }
}

struct NetAdd: NetChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Tell a node of a network, or of another password of one that it has.",
        discussion: """
            The node stays where it is unless --connect is given. Before the password of an access point is changed, its \
            nodes can be told of the next one.

            Example: matterctl net add kitchen --wifi Home --wifi-password @wifi.txt --connect
            """)

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @OptionGroup var network: NetworkJoinOptions
    @Flag(help: "Have the node join it now, and complete the change there.") var connect = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        guard (network.wifi == nil) != (network.thread == nil) else {
            throw ValidationError("give either --wifi SSID, or --thread @FILE or auto")
        }
    }

    func run(_ context: CommandContext) async throws {
        // For a node that is not there, no question is asked and nothing is searched.
        _ = try context.controller.nodes.record(of: node.node)
        let credentials = try await network.credentials(
            NetworkStore(context.controller.options.state), context.console, options.state.output,
            patience: context.timeout)
        for credential in credentials { try await carryOut(.add(credential, connects: connect), context) }
    }
}

struct NetConnect: NetChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Have a node join another one of its networks.",
        discussion: """
            The change is completed over the new network. A node that is not reached there goes back by itself.

            Example: matterctl net connect kitchen Home
            """)

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "The network, as net status shows it.") var network: String
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { true }

    func run(_ context: CommandContext) async throws {
        try await carryOut(.connect(id: try await id(of: network, context)), context)
    }
}

struct NetRemove: NetChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Make a node forget a network.",
        discussion: """
            The network that the node is on needs --force: without another one, the node cannot be reached any more.

            Example: matterctl net remove kitchen OldHome --yes
            """)

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "The network, as net status shows it.") var network: String
    @Flag(help: "Also the network that the node is on.") var force = false
    @Flag(help: "Skip the confirmation prompt.") var yes = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { yes }

    func run(_ context: CommandContext) async throws {
        _ = try context.controller.nodes.record(of: node.node)
        try context.console.confirm(
            "Make \(NodeTarget(node.node).text) forget the network '\(network)'?", given: yes)
        try await carryOut(.remove(id: try await id(of: network, context), isForced: force), context)
    }
}
