import ArgumentParser
import MatterController

/// The command of ``SceneKind``: which scenes there are, and what a name means, only the device knows.
struct SceneCommand: EverydayCommand, KindLineCommand {
    static let kind = SceneKind.kind
    static let configuration = kind.configuration(kind.name)

    @Argument(
        help: ArgumentHelp(KindLine.help(kind), valueName: KindLine.valueName(kind)), completion: .kind(.deviceWords))
    var words: [String] = []
    @Option(
        name: .line(.group), help: ArgumentHelp("Of the scenes of this group.", valueName: "GROUP"),
        completion: .kind(.group))
    var group: String?
    @Option(
        name: .line(.name),
        help: ArgumentHelp("With 'store': the name of the scene, at most 16 bytes (one node).", valueName: "NAME"))
    var name: String?
    @OptionGroup var particular: KindOptions<SceneKind>
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    /// The scene that is meant; `nil` if scenes are shown, or no scene can be meant.
    private var scene: SceneWord? { line.valueWords?.last.flatMap { SceneWord($0) } }

    private var isStored: Bool { line.verb?.name == "store" }

    /// The name that a scene gets.
    private var newName: String? {
        guard isStored else { return nil }
        if case .name(let word)? = scene { return name ?? word }
        return name
    }

    var target: NodeTarget? {
        guard everyday.meansOne(nodes), let node = nodes.first, GroupTarget(node) == nil else { return nil }
        return NodeTarget(node.node)
    }

    func validate() throws {
        let line = line
        try particular.check(line)
        try checkNodes(line)
        guard name == nil || isStored else { throw ValidationError("--name is for 'store'") }
        guard let verb = line.verb else {
            guard options.address == nil || selection.meansOne(line.nodes) else {
                throw ValidationError("--address is for one node")
            }
            guard group == nil || !particular.watch else {
                throw ValidationError("--group is not for --watch: a device has one present state")
            }
            return
        }
        try everyday.check(nodes, options)
        guard let scene else { throw noValue(of: verb, line) }
        let isOne = everyday.meansOne(nodes) && nodes.first.flatMap(GroupTarget.init) == nil && !everyday.dryRun
        // A name means another number on each device: it is asked for it.
        if case .name(let name) = scene, !isOne {
            throw ValidationError(
                "a scene by its name ('\(name)') is for one node, and not for --dry-run; say its number")
        }
        guard isStored else { return }
        guard newName != nil || particular.transition == nil else {
            throw ValidationError("--transition needs a name")
        }
        guard name == nil || isOne else { throw ValidationError("--name is for one node, and not for --dry-run") }
    }

    func verb() throws -> any DeviceVerb { try verb(nil, group: 0) }

    /// - Parameter number: `nil` for the one that was typed.
    private func verb(_ number: UInt8?, group: UInt16) throws -> any DeviceVerb {
        let verb = line.meaning(try particular.parameters()) as? SceneVerb
        guard let verb else { throw ValidationError("Missing expected argument '<value>'") }
        return verb.of(group, scene: number)
    }

    func run(_ context: CommandContext) async throws {
        let group = try await number(of: group, context)
        guard let scene else {
            if particular.watch { return try await follow(context) }
            return try await show(group, context)
        }
        if let newName, let node = nodes.first { return try await store(scene, newName, at: node, group, context) }
        guard case .name(let name) = scene, let node = nodes.first else {
            return try await carryOut(try verb(nil, group: group), context)
        }
        let scenes = try await EndpointScenes(of: node, context).scenes(of: group)
        guard let found = scene.scene(among: scenes) else {
            let names = scenes.map(\.name).filter { !$0.isEmpty }
            throw ControllerError(
                .outOfLimits, "\(NodeTarget(node.node).text) has no scene '\(name)'",
                hint: Suggestions.nearest(to: name, among: names).first.map { Hint("did you mean \($0)?") }
                    ?? .step("scene.see", NodeTarget(node.node).argument))
        }
        try await carryOut(try verb(found.number, group: group), context)
    }

    /// The number of a group; 0 for none.
    private func number(of group: String?, _ context: CommandContext) async throws -> UInt16 {
        guard let group else { return 0 }
        return try context.controller.context.groups().find(group).group
    }

    /// Keeps the present state under a name.
    private func store(
        _ scene: SceneWord, _ name: String, at node: NodeArgument, _ group: UInt16, _ context: CommandContext
    ) async throws {
        let kept = try await EndpointScenes(of: node, context)
        let number: UInt8
        if case .number(let said) = scene {
            number = said
        } else {
            // The scene that has the name already, or the first number that is free.
            let scenes = try await kept.scenes(of: group)
            guard
                let found = scene.scene(among: scenes)?.number
                    ?? (1...254).first(where: { number in
                        !scenes.contains { $0.number == number }
                    })
            else { throw ControllerError(.outOfLimits, "\(NodeTarget(node.node).text) has no number left for a scene") }
            number = found
        }
        try await kept.store(
            number, of: group, named: name, transition: particular.transition?.duration ?? .zero)
        let (record, endpoint) = try context.controller.nodes.place(of: node.node, endpoint: node.endpoint)
        context.console.object {
            Field("node", record.nodeID)
            Field("name", record.name)
            Field("endpoint", endpoint)
            Field("scene", Int64(number))
            Field("result", "done")
        }
        if case .name = scene, context.console.isTerminal, !context.console.isJSON {
            context.console.message("scene \(number) '\(TerminalText.escaped(name))' is stored")
        }
    }

    // MARK: Showing

    /// A line for each change of the scene that is the present state.
    private func follow(_ context: CommandContext) async throws {
        let round = ReadingRound(Self.kind, nodes, selection)
        try await KindWatch(
            Self.kind, round.parts(context), span: particular.span, count: particular.count, context
        ).run()
    }

    /// A scene that is shown, and where it is.
    private typealias Shown = (endpoint: EndpointID, scene: KeptScene)

    private func show(_ group: UInt16, _ context: CommandContext) async throws {
        if everyday.meansOne(nodes), let one = nodes.first {
            let (node, endpoint) = try context.controller.nodes.place(of: one.node, endpoint: one.endpoint)
            let shown = try await Self.scenes(of: node, at: endpoint, NodeTarget(one.node), group, context)
            return context.console.result(Self.reports(shown, of: group))
        }
        let parts = try await selection.parts(nodes, of: context.controller, in: .standard) {
            $0.serverClusters.contains(ScenesManagement.id.rawValue)
        }
        guard !parts.isEmpty else {
            throw ControllerError(.deviceLacks, "none of the chosen nodes keeps scenes", hint: .step("node.see"))
        }
        let places = Dictionary(uniqueKeysWithValues: parts.map { ($0.node.nodeID, $0.endpoints) })
        let answers = try await NodeAnswer.each(of: parts.map(\.node)) { node in
            try await context.controller.links.withLink(to: node) { _ in
                var shown: [Shown] = []
                for endpoint in places[node.nodeID] ?? [] {
                    shown += try await Self.scenes(of: node, at: endpoint, NodeTarget(node), group, context)
                }
                return shown
            }
        }
        try NodeRound.print(answers, isOne: false, context.console) { _, shown in
            Report { Field("scenes", Self.reports(shown, of: group)) }
        } rows: { node, shown in
            Self.reports(shown, of: group, node)
        }
    }

    /// The scenes of an endpoint; of each one that keeps scenes, if none was named.
    private static func scenes(
        of node: NodeRecord, at named: EndpointID?, _ target: NodeTarget, _ group: UInt16, _ context: CommandContext
    ) async throws -> [Shown] {
        let keeping = node.endpoints.filter { $0.serverClusters.contains(ScenesManagement.id.rawValue) }
        let places = named == nil && !keeping.isEmpty ? keeping.map { EndpointID($0.number) } : [named]
        var shown: [Shown] = []
        for place in places {
            let kept = try await EndpointScenes(of: node, at: place, target, context)
            shown += try await kept.scenes(of: group).map { (kept.endpoint, $0) }
        }
        return shown
    }

    /// - Parameter node: where the scenes of several nodes are shown.
    private static func reports(_ shown: [Shown], of group: UInt16, _ node: NodeRecord? = nil) -> [Report] {
        // Rows have their endpoint where it is not the only one.
        let isOne = Set(shown.map(\.endpoint)).count < 2
        return shown.map { endpoint, scene in
            Report {
                if let node { Field(column: "NODE", [node.label]) }
                Field("endpoint", Int64(endpoint.rawValue))
                if !isOne { Field(column: "ENDPOINT", ["\(endpoint)"]) }
                Field("scene", Int64(scene.number), column: "SCENE")
                Field("name", scene.name.isEmpty ? nil : scene.name, column: "NAME")
                Field("group", Int64(group))
                Field(
                    "transitionMs",
                    scene.transition.components.seconds * 1000
                        + scene.transition.components.attoseconds / 1_000_000_000_000_000)
                Field(column: "TRANSITION", [DurationText.format(scene.transition)])
                Field("current", scene.isCurrent)
                Field(column: "CURRENT", scene.isCurrent ? ["yes"] : nil)
            }
        }
    }
}

extension EndpointScenes {
    fileprivate init(of node: NodeArgument, _ context: CommandContext) async throws {
        let (record, endpoint) = try context.controller.nodes.place(of: node.node, endpoint: node.endpoint)
        try await self.init(of: record, at: endpoint, NodeTarget(node.node), context)
    }

    fileprivate init(
        of node: NodeRecord, at endpoint: EndpointID?, _ target: NodeTarget, _ context: CommandContext
    ) async throws {
        self.init(
            try await context.controller.devices.device(
                ScenesManagement.id, of: node, endpoint: endpoint, title: target.text, budget: context.budget))
    }
}
