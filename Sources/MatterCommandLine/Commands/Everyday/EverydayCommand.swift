import ArgumentParser
import MatterController

/// Options of commands that do one thing.
struct EverydayOptions: ParsableArguments {
    static let nodesHelp = ArgumentHelp(
        "Node ids, names or patterns of names, with /EP for an endpoint; or group:GROUP.", valueName: "node")

    @OptionGroup var selection: NodeSelection
    @Flag(name: .line(.verify), help: "Wait for the end of the change, read the state back and print it.")
    var verify = false
    @Flag(name: .line(.dryRun), help: "Send nothing; show what would be sent.") var dryRun = false

    init() {}

    init(_ selection: NodeSelection, verify: Bool, dryRun: Bool) {
        self.selection = selection
        self.verify = verify
        self.dryRun = dryRun
    }

    /// Whether one node or group is named, so that the result is no list.
    func meansOne(_ nodes: [NodeArgument]) -> Bool { selection.meansOne(nodes.map(\.node)) }

    /// - Parameter shows: whether the command only shows a state.
    func check(_ nodes: [NodeArgument], _ options: NetworkOptions, shows: Bool = false) throws {
        guard !shows || !verify && !dryRun else {
            throw ValidationError("--verify and --dry-run are for what changes something")
        }
        if dryRun { try options.requireOffline() }
        guard !nodes.isEmpty || selection.isGiven else {
            throw ValidationError("Missing expected argument '<node>' (or --all, --room, --type, --cluster)")
        }
        try selection.require(nodes.map(\.node), options)
    }
}

/// A command that tells a node to do one thing and prints nothing when it worked; of several nodes it says what came of
/// each.
protocol EverydayCommand: NetworkCommand {
    var nodes: [NodeArgument] { get }
    var everyday: EverydayOptions { get }
    func verb() throws -> any DeviceVerb
}

extension EverydayCommand {
    /// The node or the group, if there is only one.
    private var one: NodeArgument? { everyday.meansOne(nodes) ? nodes.first : nil }

    var target: NodeTarget? { one.flatMap { GroupTarget($0) == nil ? NodeTarget($0.node) : nil } }

    var isServed: Bool { !everyday.dryRun }

    func validate() throws { try everyday.check(nodes, options) }

    func run(_ context: CommandContext) async throws { try await carryOut(try verb(), context) }

    func carryOut(_ verb: any DeviceVerb, _ context: CommandContext) async throws {
        if let node = one, let group = GroupTarget(node) {
            let record = try await group.record(node, context)
            let request = try record.request(verb)
            if everyday.dryRun {
                return try Rehearsal(request.command, to: record, in: .standard, context.console.printer())
                    .print(on: context.console)
            }
            return try await GroupTarget.perform(request, on: record, verifying: everyday.verify, context)
        }
        let round = EverydayRound(verb: verb, everyday: everyday, context: context)
        if let one { try await round.run(one) } else { try await round.run(nodes) }
    }
}

extension Rehearsal {
    /// Of a verb to a device that is not asked what it has.
    init(_ verb: any DeviceVerb, of node: NodeRecord, at endpoint: EndpointID?, _ printer: ValuePrinter) throws {
        let endpoint = try node.endpoint(
            serving: verb.cluster, named: endpoint,
            clusterName: Catalogue.standard.clusterName(verb.cluster) ?? "\(verb.cluster)")
        let request = try verb.request(DeviceFacts(unasked: NodeTarget(node).text, label: node.label))
        if let command = request.command(at: endpoint, of: verb.cluster) {
            try self.init(
                [([command], isTimed: Catalogue.standard.isTimed(command))], of: NodeMark(node), in: .standard,
                printer)
        } else if case .write(let attribute, let value) = request.action {
            let write = AttributeWrite(
                endpoint: endpoint, cluster: verb.cluster, attribute: attribute, value: value)
            try self.init([write], isTimed: false, of: NodeMark(node), in: .standard, printer)
        } else {
            try self.init([], of: NodeMark(node), in: .standard, printer)
        }
    }
}
