import ArgumentParser
import MatterController

/// The command of ``ModeKind``: which modes there are, only the device knows.
struct ModeCommand: KindLineCommand {
    static let kind = ModeKind.kind
    static let configuration = kind.configuration(kind.name)

    @Argument(
        help: ArgumentHelp(KindLine.help(kind), valueName: KindLine.valueName(kind)), completion: .kind(.deviceWords))
    var words: [String] = []
    @OptionGroup var particular: KindOptions<ModeKind>
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    /// Whether nodes are meant for what they have in common; the cluster alone says which modes are meant.
    var choosesNodes: Bool {
        selection.all || selection.filter.room != nil || selection.filter.deviceType != nil
            || selection.filter.cluster != nil && words.isEmpty
    }

    private var mode: String? { line.valueWords?.last }

    /// The node, if there is only one.
    private var one: NodeArgument? {
        nodes.count == 1 && !choosesNodes && !nodes.contains { NodeSelection.isPattern($0.node) } ? nodes.first : nil
    }

    var target: NodeTarget? { one.map { NodeTarget($0.node) } }

    var isServed: Bool { !particular.dryRun }

    func validate() throws {
        let line = line
        try particular.check(line)
        try checkNodes(line)
        guard options.address == nil || one != nil else { throw ValidationError("--address is for one node") }
        guard let verb = line.verb else { return }
        if everyday.dryRun { try options.requireOffline() }
        guard line.valueWords != nil, choosesNodes || !line.nodes.isEmpty else {
            throw ValidationError("Missing expected argument '<value>' (\(verb.value ?? ""))")
        }
        try selection.require(nodes.map(\.node))
    }

    func run(_ context: CommandContext) async throws {
        let cluster = try selection.filter.cluster.map { try Catalogue.standard.cluster(named: $0).id }
        if particular.watch { return try await follow(cluster, context) }
        guard let one else { return try await runEach(cluster, context) }
        let (record, endpoint) = try context.controller.nodes.place(of: one.node, endpoint: one.endpoint)
        let target = NodeTarget(one.node)
        if let mode, everyday.dryRun {
            return try Self.rehearsal(of: mode, record, endpoint, cluster, target, context).print(on: context.console)
        }
        let found = try await context.controller.devices.modes(
            of: record, endpoint: endpoint, cluster: cluster, title: target.text, budget: context.budget)
        guard let mode else { return context.console.result(found.flatMap { Self.reports($0) }) }
        let change = try await change(found, to: mode, context)
        guard let state = change.state else {
            return context.console.object {
                Field("node", record.nodeID)
                Field("name", record.name)
                Field("endpoint", change.device.place.endpoint)
                Field("result", "done")
            }
        }
        try show(state, change, target, context)
        if !state.isSettled { context.console.warning(EverydayRound.underWay(target)) }
    }

    /// A line for each new mode.
    private func follow(_ cluster: ClusterID?, _ context: CommandContext) async throws {
        let parts: [NodeSelection.Part]
        if let one {
            let (node, endpoint) = try context.controller.nodes.place(of: one.node, endpoint: one.endpoint)
            parts = [NodeSelection.Part(node, [endpoint])]
        } else {
            parts = try await self.parts(context)
        }
        try await KindWatch(
            cluster.map { Self.kind.only($0) } ?? Self.kind, parts, span: particular.span, count: particular.count,
            context
        ).run()
    }

    /// The nodes that are meant and have modes.
    private func parts(_ context: CommandContext) async throws -> [NodeSelection.Part] {
        let parts = try await selection.parts(nodes, of: context.controller, in: .standard) { endpoint in
            endpoint.serverClusters.contains { DeviceModes.isMode(ClusterID($0)) }
        }
        guard !parts.isEmpty else {
            throw ControllerError(.deviceLacks, "none of the chosen nodes has modes", hint: .step("node.see"))
        }
        return parts
    }

    /// The mode that a device has come to; by its label for people, with its number for programs.
    private func show(
        _ state: SettledState, _ change: Change, _ target: NodeTarget, _ context: CommandContext
    ) throws {
        guard let report = state.reports.first, let label = change.mode?.label else {
            return try AttributeOutput(context, change.device.place.node, target)
                .print(state.reports, requested: state.paths.map { AttributePath($0) })
        }
        guard context.console.isJSON else { return context.console.result(TerminalText.escaped(label)) }
        context.console.object {
            Report(report, of: NodeMark(change.device.place.node), in: .standard, context.console.printer())
            Field("label", label)
        }
    }

    /// One result for each node; the failure of one costs the others nothing.
    private func runEach(_ cluster: ClusterID?, _ context: CommandContext) async throws {
        let parts = try await parts(context)
        if let mode, everyday.dryRun {
            let rehearsals = try parts.flatMap { part in
                try part.endpoints.map { endpoint in
                    let target = NodeTarget(part.node)
                    return (part.node, try Self.rehearsal(of: mode, part.node, endpoint, cluster, target, context))
                }
            }
            return EverydayRound.print(rehearsals, context.console)
        }
        let places = Dictionary(uniqueKeysWithValues: parts.map { ($0.node.nodeID, $0.endpoints) })
        guard let mode else { return try await showEach(parts.map(\.node), places, cluster, context) }
        let answers = try await NodeAnswer.each(of: parts.map(\.node)) { node in
            try await context.controller.links.withLink(to: node) { _ in
                var changes: [Change] = []
                for endpoint in places[node.nodeID] ?? [] {
                    let found = try await context.controller.devices.modes(
                        of: node, endpoint: endpoint, cluster: cluster, title: NodeTarget(node).text,
                        budget: context.budget)
                    changes.append(try await change(found, to: mode, context))
                }
                return changes
            }
        }
        for answer in answers where answer.value?.contains(where: { $0.state?.isSettled == false }) == true {
            context.console.warning(EverydayRound.underWay(NodeTarget(answer.node)))
        }
        try NodeRound.print(answers, isOne: false, context.console) { _, changes in
            Report {
                Field("endpoints", JSONValue.array(changes.map { .int(Int64($0.device.place.endpoint.rawValue)) }))
                Field("result", "done")
                if everyday.verify {
                    Field("modes", changes.map { Report($0) })
                }
            }
        } rows: { node, changes in
            changes.map { change in
                Report {
                    Field(column: "NODE", ["\(node.nodeID.rawValue)"])
                    Field("name", node.name, column: "NAME")
                    Field("endpoint", change.device.place.endpoint, column: "ENDPOINT")
                    Field("result", "done", column: "RESULT")
                    if everyday.verify { Field("value", change.mode?.label ?? "-", column: "VALUE") }
                }
            }
        }
    }

    private func showEach(
        _ nodes: [NodeRecord], _ places: [NodeID: [EndpointID?]], _ cluster: ClusterID?, _ context: CommandContext
    ) async throws {
        let answers = try await NodeAnswer.each(of: nodes) { node in
            try await context.controller.links.withLink(to: node) { _ in
                var devices: [ServingDevice] = []
                for endpoint in places[node.nodeID] ?? [] {
                    devices += try await context.controller.devices.modes(
                        of: node, endpoint: endpoint, cluster: cluster, title: NodeTarget(node).text,
                        budget: context.budget)
                }
                return devices
            }
        }
        try NodeRound.print(answers, isOne: false, context.console) { _, devices in
            Report { Field("modes", devices.flatMap { Self.reports($0) }) }
        } rows: { node, devices in
            devices.flatMap { Self.reports($0, of: node) }
        }
    }

    /// A change of mode that was made.
    fileprivate struct Change: Sendable {
        let device: ServingDevice
        /// Read back, if that was asked for.
        var state: SettledState?

        /// The mode that was read back.
        var mode: DeviceModes.Mode? {
            let number: UInt8? = state?.reports.first?.value?.integer()
            return DeviceModes(device.cluster, device.facts).modes.first { $0.number == number }
        }
    }

    private func change(
        _ found: [ServingDevice], to mode: String, _ context: CommandContext
    ) async throws -> Change {
        let device = try DeviceModes.choose(mode, among: found)
        let request = try ModeVerb(device.cluster, mode).request(device.facts)
        try await device.send(request.action, readBack: [request.attribute])
        guard everyday.verify else { return Change(device: device) }
        let state = try await context.controller.devices.state(
            after: request, to: device.cluster, at: device.place, budget: context.budget)
        return Change(device: device, state: state)
    }

    /// The command for a device that is not asked which modes it has.
    private static func rehearsal(
        of mode: String, _ node: NodeRecord, _ endpoint: EndpointID?, _ cluster: ClusterID?, _ target: NodeTarget,
        _ context: CommandContext
    ) throws -> Rehearsal {
        let place = try DeviceModes.place(
            for: mode, of: node, endpoint: endpoint, cluster: cluster, title: target.text)
        return try Rehearsal(
            ModeVerb(place.cluster, mode), of: node, at: place.endpoint, context.console.printer())
    }

    /// - Parameter node: where the modes of several nodes are shown.
    private static func reports(_ device: ServingDevice, of node: NodeRecord? = nil) -> [Report] {
        let modes = DeviceModes(device.cluster, device.facts)
        return modes.modes.map { mode in
            Report {
                Field("node", device.place.node.nodeID)
                if let node { Field(column: "NODE", [node.label]) }
                Field("endpoint", device.place.endpoint, column: "ENDPOINT")
                Field("cluster", Catalogue.standard.clusterName(device.cluster), column: "CLUSTER")
                Field("clusterId", device.cluster)
                Field("mode", Int64(mode.number), column: "MODE")
                Field("label", mode.label, column: "LABEL")
                Field("tags", JSONValue.array(mode.tags.map { .string($0) }))
                Field("current", mode.number == modes.current)
                Field(column: "CURRENT", mode.number == modes.current ? ["yes"] : nil)
            }
        }
    }
}

extension Report {
    /// The mode that a device has come to.
    fileprivate init(_ change: ModeCommand.Change) {
        self.init {
            Field("endpoint", change.device.place.endpoint)
            Field("cluster", Catalogue.standard.clusterName(change.device.cluster))
            Field("clusterId", change.device.cluster)
            Field("mode", change.mode.map { Int64($0.number) })
            Field("label", change.mode?.label)
        }
    }
}
