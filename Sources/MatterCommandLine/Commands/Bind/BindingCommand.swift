import ArgumentParser
import MatterController

/// The words for what came of a binding.
struct BindingWords: Sendable {
    let changed: String
    let present: String
    /// Of the access control list: that it stayed as it was, and that it changed.
    let access: [String]
}

/// A switch, and what it controls.
struct BindingArguments: ParsableArguments {
    @Argument(help: "The switch: node id or name, with /EP for an endpoint.") var source: NodeArgument
    @Argument(
        help: ArgumentHelp(
            "The light: node id or name, with /EP for an endpoint; or group:GROUP.", valueName: "target"),
        completion: .kind(.endpointOrGroup))
    var bound: String
    @Option(
        name: .customLong("cluster"), help: ArgumentHelp("Only this cluster; may be repeated.", valueName: "CLUSTER"),
        completion: .kind(.cluster))
    var clusters: [String] = []
    @Flag(help: "Leave the access control list of the target as it is.") var noAccess = false
    @OptionGroup var catalogue: CatalogueOptions
}

/// A command about a switch and what it controls.
protocol BindingCommand: NetworkCommand {
    var binding: BindingArguments { get }

    static var words: BindingWords { get }
    /// Whether the target may be a node that has no record here.
    static var acceptsStrangers: Bool { get }

    func change(_ request: BindingRequest, _ context: CommandContext) async throws -> BindingOutcome
}

extension BindingCommand {
    var isServed: Bool { true }

    func validate() throws {
        guard options.address == nil else { throw ValidationError("--address is for one node, and this takes two") }
    }

    func run(_ context: CommandContext) async throws {
        let catalogue = try binding.catalogue.catalogue(try options.state.state())
        let clusters = try binding.clusters.compactMap { name in
            try ElementPath("*/\(name)", .attribute) { () throws(DataModelError) in catalogue }.cluster
        }
        let (record, endpoint) = try context.controller.nodes.place(
            of: binding.source.node, endpoint: binding.source.endpoint)
        let request = BindingRequest(
            source: record, endpoint: endpoint,
            target: try await meaning(AccessWords(context.controller, catalogue), context.controller),
            clusters: clusters, changesAccess: !binding.noAccess)
        try await reach(record, "source", context)
        if case .node(let node, _) = request.target, request.changesAccess { try await reach(node, "target", context) }
        let outcome = try await change(request, context)
        let nodes = try context.controller.context.nodes().sound().nodes
        let rows = outcome.entries.map { entry, isChanged in
            let node = nodes.first { $0.nodeID == entry.node }
            let cluster = entry.cluster.map { catalogue.clusterName($0) ?? hexadecimal($0) }
            let target =
                entry.group.map { "group:\($0)" }
                ?? "\(node?.label ?? "\(entry.node?.rawValue ?? 0)")/\(entry.endpoint.map { "\($0)" } ?? "*")"
            return Report {
                Field(column: "SOURCE", ["\(record.label)/\(outcome.endpoint)"])
                Field(column: "TARGET", [target])
                Field("node", entry.node)
                Field("name", node?.name)
                Field("group", entry.group)
                Field("endpoint", entry.endpoint)
                Field("cluster", entry.cluster.flatMap { catalogue.clusterName($0) })
                Field("clusterId", entry.cluster)
                Field(column: "CLUSTER", [cluster.map(NameStyle.kebab) ?? "all"])
                Field("result", isChanged ? Self.words.changed : Self.words.present, column: "RESULT")
            }
        }
        guard context.console.isJSON else { return context.console.result(rows) }
        context.console.result(
            Report {
                Field("node", record.nodeID)
                Field("name", record.name)
                Field("endpoint", outcome.endpoint)
                Field("bindings", rows)
                Field("access", outcome.isAccessChanged.map { Self.words.access[$0 ? 1 : 0] })
            })
    }

    /// Makes sure that a node answers before anything is changed, and that it is named if it does not.
    private func reach(_ node: NodeRecord, _ role: String, _ context: CommandContext) async throws {
        do {
            try await context.controller.links.link(to: node).connect(deadline: context.deadline(for: node))
        } catch {
            try Task.checkCancellation()
            throw AdvisedError(error: error, advice: "this is about the \(role), \(NodeTarget(node).text)")
        }
    }

    private func meaning(_ words: AccessWords, _ controller: Controller) async throws -> BindingRequest.Target {
        if let group = AccessWords.text(of: binding.bound, after: "group:") {
            return .group(try await words.group(group))
        }
        guard let argument = NodeArgument(argument: binding.bound) else {
            throw CommandLineError(.usageSubject, "'\(binding.bound)' is not a target: NODE, NODE/EP or group:GROUP")
        }
        do {
            let (node, endpoint) = try controller.nodes.place(of: argument.node, endpoint: argument.endpoint)
            return .node(node, endpoint: endpoint)
        } catch let error as RecordError where error.code == .unknownNode && Self.acceptsStrangers {
            guard let number = NameRule.parseNumber(argument.node) else { throw error }
            return .stranger(NodeID(number), endpoint: argument.endpoint)
        }
    }
}
