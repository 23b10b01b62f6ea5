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

/// One verb for one node or several. Of several, each has a result, and the failure of one costs the others nothing.
struct EverydayRound {
    let verb: any DeviceVerb
    let everyday: EverydayOptions
    let context: CommandContext

    /// For one node, whose failure is that of the command, and whose state stands alone.
    func run(_ node: NodeArgument) async throws {
        let controller = context.controller
        let (target, place) = (
            NodeTarget(node.node), try controller.nodes.place(of: node.node, endpoint: node.endpoint)
        )
        guard !everyday.dryRun else {
            return try Rehearsal(verb, of: place.node, at: place.endpoint, context.console.printer())
                .print(on: context.console)
        }
        let outcomes = try await controller.devices.carryOut(
            verb, at: [NodeQuery.Part(place.node, [place.endpoint])], title: target.text, verifies: everyday.verify,
            budget: context.budget)
        for outcome in outcomes {
            if let note = outcome.note { context.console.warning(note) }
            if let failure = outcome.failure { throw failure }
            guard let state = outcome.state else {
                if !everyday.verify { context.console.object(report(outcome)) }
                continue
            }
            try AttributeOutput(context, outcome.node, target).print(state)
            if !state.isSettled { context.console.warning(Self.underWay(target)) }
        }
    }

    /// For several nodes.
    ///
    /// - Throws: `node.incomplete` with the exit code of the first failure by node, after the rest was printed.
    func run(_ words: [NodeArgument]) async throws {
        let parts = try await parts(words)
        guard !everyday.dryRun else { return try rehearse(parts) }
        let outcomes = try await context.controller.devices.carryOut(
            verb, at: parts, verifies: everyday.verify, budget: context.budget)
        context.console.result(outcomes.map(report))
        for outcome in outcomes {
            if let note = outcome.note { context.console.warning(note) }
            if outcome.state?.isSettled == false {
                context.console.warning(Self.underWay(NodeTarget(outcome.node)))
            }
        }
        let failures = outcomes.compactMap { outcome in
            outcome.failure.map { (node: outcome.node, failure: $0, silentAt: outcome.silentAt) }
        }
        guard let first = failures.first else { return }
        for failed in failures where !context.console.isJSON {
            let message = ErrorReport(failed.failure, target: NodeTarget(failed.node)).message
            let short = failed.silentAt.map {
                "; it was silent at \(DateText.time($0)) too, so it was given a short time: --timeout 30s gives it more"
            }
            context.console.warning(message + (short ?? ""))
        }
        throw CommandLineError(
            .nodeIncomplete, "\(failures.count) of \(outcomes.count) failed", kind: FailureKind(first.failure))
    }

    /// The nodes by id. Those that were not named take part if they can do it, as far as that is known.
    private func parts(_ words: [NodeArgument]) async throws -> [NodeSelection.Part] {
        if words.contains(where: { GroupTarget($0) != nil }) {
            throw GroupTarget.refusal("name a group alone: it is sent one message, and does not answer")
        }
        return try context.controller.devices.parts(of: everyday.selection.query(words), for: verb)
    }

    static func underWay(_ target: NodeTarget) -> String {
        "the time was over while \(target.text) was on its way: this is not its last state"
    }

    /// Shows what each node would be sent.
    private func rehearse(_ parts: [NodeSelection.Part]) throws {
        let rehearsals = try parts.flatMap { part in
            try part.endpoints.map {
                (part.node, try Rehearsal(verb, of: part.node, at: $0, context.console.printer()))
            }
        }
        Self.print(rehearsals, context.console)
    }

    /// Prints what each node would be sent.
    static func print(_ rehearsals: [(NodeRecord, Rehearsal)], _ console: Console) {
        guard !console.isJSON else { return console.result(rehearsals.map(\.1.report)) }
        let rows = rehearsals.flatMap { node, rehearsal in
            rehearsal.rows.map { [TerminalText.escaped(node.label)] + $0 }
        }
        Rehearsal.print(rows, ["NODE"], console)
    }

    private func report(_ outcome: VerbOutcome) -> Report {
        let node = outcome.node
        let printer = context.console.printer()
        let state = outcome.state
        let values = (state?.reports ?? []).compactMap { report in
            report.value.map { (value: $0, type: Catalogue.standard.type(of: report.path)) }
        }
        let device = outcome.named.flatMap { node.bridged(at: $0.rawValue) }
        return Report {
            Field("node", node.nodeID)
            Field(column: "NODE", ["\(node.nodeID.rawValue)" + (outcome.named.map { "/\($0)" } ?? "")])
            Field("name", node.name)
            Field("label", device?.title)
            Field(column: "NAME", (device?.title ?? node.name).map { [$0] })
            Field("endpoint", outcome.endpoint)
            Field("result", outcome.failure == nil ? "done" : "failed", column: "RESULT")
            if everyday.verify {
                Field("value", values.first.map { printer.json($0.value, as: $0.type) })
                Field("also", state?.also(of: node.nodeID, printer))
                Field("on", state?.isLit)
                let name = context.console.isTerminal ? state?.name : nil
                let texts =
                    state?.isLit == false
                    ? ["0"] : name.map { [$0] } ?? values.map { printer.text($0.value, as: $0.type) }
                Field(column: "VALUE", values.isEmpty ? nil : texts)
            }
            Field("error", outcome.failure.map { NodeRound.error($0, of: node) })
        }
    }
}
