import ArgumentParser
import MatterController
import MatterDataModel
import MatterInteraction
import MatterRecords
import MatterTLV

/// Options of commands that do one thing.
struct EverydayOptions: ParsableArguments {
    static let nodesHelp = ArgumentHelp(
        "Node ids, names or patterns of names, with /EP for an endpoint; or group:GROUP.", valueName: "node")

    @OptionGroup var selection: NodeSelection
    @Flag(help: "Read the state back and print it.") var verify = false
    @Flag(name: .long, help: "Send nothing; show what would be sent.") var dryRun = false

    /// Whether one node or group is named, so that the result is no list.
    func meansOne(_ nodes: [NodeArgument]) -> Bool { selection.meansOne(nodes.map(\.node)) }

    func check(_ nodes: [NodeArgument], _ options: NetworkOptions) throws {
        if dryRun { try options.requireOffline() }
        guard !nodes.isEmpty || selection.isGiven else {
            throw ValidationError("Missing expected argument '<node>' (or --all, --room, --type, --cluster)")
        }
        try selection.require(nodes.map(\.node), options)
    }
}

/// A command that does one thing to one cluster of a node and prints nothing when it worked; of several nodes it says what
/// came of each.
protocol EverydayCommand: NetworkCommand {
    var nodes: [NodeArgument] { get }
    var everyday: EverydayOptions { get }
    var verb: Verb { get }
}

extension EverydayCommand {
    /// The node or the group, if there is only one.
    private var one: NodeArgument? { everyday.meansOne(nodes) ? nodes.first : nil }

    var target: NodeTarget? { one.flatMap { GroupTarget($0) == nil ? NodeTarget($0.node) : nil } }

    func run(_ context: CommandContext) async throws {
        guard let node = one else {
            return try await EverydayRound(verb: verb, everyday: everyday, context: context).run(nodes)
        }
        let (controller, target) = (context.controller, NodeTarget(node.node))
        let verb = verb
        if let group = GroupTarget(node) {
            let record = try await group.record(node, context)
            if everyday.dryRun {
                return try Rehearsal(verb.command(at: nil), to: record, in: .standard, ValuePrinter())
                    .print(on: context.console)
            }
            return try await GroupTarget.perform(verb, on: record, verifying: everyday.verify, context)
        }
        let record = try await controller.record(of: node.node)
        if everyday.dryRun { return try Rehearsal(verb, of: record, at: node.endpoint).print(on: context.console) }
        let place = try await controller.perform(
            verb, on: record, endpoint: node.endpoint, title: target.text,
            budget: context.budget)
        guard everyday.verify else { return }
        let state = try await EverydayState(verb, at: place, context)
        try AttributeOutput(context, place.node, target).print(
            state.reports, requested: [AttributePath(state.path)], isLit: state.isLit)
    }

    func validate() throws { try everyday.check(nodes, options) }
}

extension Rehearsal {
    /// Of a verb at an endpoint that is known already.
    init(_ verb: Verb, of node: NodeRecord, at endpoint: EndpointID?) throws {
        let endpoint = try node.endpoint(serving: verb, named: endpoint)
        try self.init(
            [([verb.command(at: endpoint)], isTimed: false)], of: node.nodeID, in: .standard, ValuePrinter())
    }
}

extension NodeRecord {
    func endpoint(serving verb: Verb, named: EndpointID?) throws -> EndpointID {
        try endpoint(
            serving: verb.cluster, named: named,
            clusterName: Catalogue.standard.clusterName(verb.cluster) ?? "\(verb.cluster)")
    }
}

/// What a verb has made of an endpoint, read back.
struct EverydayState: Sendable {
    let path: ConcreteAttributePath
    let reports: [AttributeReport]
    /// Of a level: false if the light is off, so that the level is none.
    let isLit: Bool?

    init(_ verb: Verb, at place: ServingEndpoint, _ context: CommandContext) async throws {
        let path = ConcreteAttributePath(endpoint: place.endpoint, cluster: verb.cluster, attribute: verb.attribute)
        let light = ConcreteAttributePath(
            endpoint: place.endpoint, cluster: OnOff.id, attribute: OnOff.Attribute.onOff)
        let state = try await place.link.read(
            [AttributePath(path)] + (verb.dependsOnLight ? [AttributePath(light)] : []),
            deadline: context.deadline(for: place.node))
        isLit = state.attributes.first { $0.path == light }?.value == .bool(false) ? false : nil
        reports = state.attributes.filter { $0.path == path }
        self.path = path
    }
}
