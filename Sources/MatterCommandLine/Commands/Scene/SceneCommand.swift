import ArgumentParser
import MatterController

struct SceneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene", abstract: "Scenes, which lights and other devices keep.",
        discussion: "Example: matterctl scene recall hall 3",
        subcommands: [SceneList.self, SceneStore.self, SceneRecall.self, SceneRemove.self])
}

/// A scene by its number, 0 to 254, or by its name on one device.
enum SceneWord: ExpressibleByArgument, TrailingValue {
    static let forms = "a scene, 0–254 or its name"

    case number(UInt8)
    case name(String)

    init?(argument: String) {
        guard NameRule.parseNumber(argument) != nil else {
            self = .name(argument)
            return
        }
        guard let number = UInt8(argument), number < 255 else { return nil }
        self = .number(number)
    }

    /// The scene of some that is meant.
    func scene(among scenes: [KeptScene]) -> KeptScene? {
        switch self {
        case .number(let number): scenes.first { $0.number == number }
        case .name(let name):
            scenes.first { $0.name == name } ?? scenes.first { NameRule.isSame($0.name, name) }
        }
    }
}

struct SceneOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Of the scenes of this group.", valueName: "GROUP"), completion: .kind(.group))
    var group: String?

    /// The number of the group; 0 for none.
    func number(_ context: CommandContext) async throws -> UInt16 {
        guard let group else { return 0 }
        return try context.controller.context.groups().find(group).group
    }
}

/// A command that stores, recalls or removes a scene.
protocol SceneVerbCommand: EverydayCommand {
    var words: NodesAndValue<SceneWord> { get }
    var scene: SceneOptions { get }
    func verb(_ scene: UInt8, _ group: UInt16) throws -> any DeviceVerb
}

extension SceneVerbCommand {
    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb {
        guard case .number(let number) = try words.value() else { return try verb(0, 0) }
        return try verb(number, 0)
    }

    /// A name means another number on each device: it is asked for it.
    func check() throws {
        try everyday.check(nodes, options)
        guard case .name(let name) = try words.value() else { return }
        guard everyday.meansOne(nodes), let node = nodes.first, GroupTarget(node) == nil, !everyday.dryRun else {
            throw ValidationError(
                nodes.isEmpty && !everyday.selection.all
                    ? "Missing expected argument '<value>' (\(SceneWord.forms))"
                    : "a scene by its name ('\(name)') is for one node, and not for --dry-run; say its number")
        }
    }

    func validate() throws { try check() }

    func run(_ context: CommandContext) async throws {
        let group = try await scene.number(context)
        let number: UInt8
        switch try words.value() {
        case .number(let said): number = said
        case .name(let name):
            guard let node = nodes.first else { return }
            let scenes = try await EndpointScenes(of: node, context).scenes(of: group)
            guard let found = try words.value().scene(among: scenes) else {
                let names = scenes.map(\.name).filter { !$0.isEmpty }
                throw ControllerError(
                    .outOfLimits, "\(NodeTarget(node.node).text) has no scene '\(name)'",
                    hint: Suggestions.nearest(to: name, among: names).first.map { Hint("did you mean \($0)?") }
                        ?? .step("scene.see", NodeTarget(node.node).argument))
            }
            number = found.number
        }
        try await carryOut(try verb(number, group), context)
    }
}

struct SceneRecall: SceneVerbCommand, PlainCommand {
    static let configuration = CommandConfiguration(
        commandName: "recall", abstract: "Bring the state of a scene back.",
        discussion:
            "A scene is meant by its number or, on one device, by its name.\n\nExample: matterctl scene recall hall Evening --transition 2s"
    )

    @OptionGroup var words: NodesAndValue<SceneWord>
    @OptionGroup var scene: SceneOptions
    @Option(help: ArgumentHelp("How long the change takes; by default as the scene says.", valueName: "DURATION"))
    var transition: TimeSpan?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    mutating func take(_ line: PlainLine) -> Bool {
        var (words, scene) = (NodesAndValue<SceneWord>(), SceneOptions())
        scene.group = nil
        guard words.take(line) else { return false }
        (self.words, self.scene, transition) = (words, scene, nil)
        everyday = EverydayOptions(line)
        options = NetworkOptions(line)
        return true
    }

    func verb(_ scene: UInt8, _ group: UInt16) throws -> any DeviceVerb {
        SceneVerb(.recall, scene: scene, group: group, transition: transition?.duration)
    }
}

struct SceneStore: SceneVerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Keep the present state as a scene.",
        discussion:
            "Without a number, a new name gets the first one that is free.\n\nExample: matterctl scene store hall Evening"
    )

    @OptionGroup var words: NodesAndValue<SceneWord>
    @OptionGroup var scene: SceneOptions
    @Option(help: ArgumentHelp("The name of the scene, at most 16 bytes (one node).", valueName: "NAME"))
    var name: String?
    @Option(help: ArgumentHelp("How long a recall takes (with --name).", valueName: "DURATION"))
    var transition: TimeSpan?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        try check()
        guard sceneName != nil || transition == nil else { throw ValidationError("--transition needs a name") }
        guard
            name == nil || everyday.meansOne(nodes) && nodes.first.flatMap(GroupTarget.init) == nil && !everyday.dryRun
        else { throw ValidationError("--name is for one node, and not for --dry-run") }
    }

    private var sceneName: String? {
        if case .name(let word)? = try? words.value() { return name ?? word }
        return name
    }

    func verb(_ scene: UInt8, _ group: UInt16) throws -> any DeviceVerb {
        SceneVerb(.store, scene: scene, group: group)
    }

    func run(_ context: CommandContext) async throws {
        let group = try await scene.number(context)
        let word = try words.value()
        guard let sceneName, let node = nodes.first else { return try await carryOut(try verb(), group, context) }
        let kept = try await EndpointScenes(of: node, context)
        let number: UInt8
        if case .number(let said) = word {
            number = said
        } else {
            // The scene that has the name already, or the first number that is free.
            let scenes = try await kept.scenes(of: group)
            guard
                let found = word.scene(among: scenes)?.number
                    ?? (1...254).first(where: { number in
                        !scenes.contains { $0.number == number }
                    })
            else { throw ControllerError(.outOfLimits, "\(NodeTarget(node.node).text) has no number left for a scene") }
            number = found
        }
        try await kept.store(number, of: group, named: sceneName, transition: transition?.duration ?? .zero)
        let (record, endpoint) = try context.controller.nodes.place(of: node.node, endpoint: node.endpoint)
        context.console.object {
            Field("node", record.nodeID)
            Field("name", record.name)
            Field("endpoint", endpoint)
            Field("scene", Int64(number))
            Field("result", "done")
        }
        if case .name = word, context.console.isTerminal, !context.console.isJSON {
            context.console.message("scene \(number) '\(TerminalText.escaped(sceneName))' is stored")
        }
    }

    private func carryOut(_ verb: any DeviceVerb, _ group: UInt16, _ context: CommandContext) async throws {
        guard case .number(let number) = try words.value() else { return }
        try await carryOut(try self.verb(number, group), context)
    }
}

struct SceneRemove: SceneVerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a scene.", discussion: "Example: matterctl scene remove hall 3")

    @OptionGroup var words: NodesAndValue<SceneWord>
    @OptionGroup var scene: SceneOptions
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb(_ scene: UInt8, _ group: UInt16) throws -> any DeviceVerb {
        SceneVerb(.remove, scene: scene, group: group)
    }
}

struct SceneList: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the scenes of devices.", discussion: "Example: matterctl scene ls hall")

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup var scene: SceneOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    /// The node, if there is only one.
    private var one: NodeArgument? { selection.meansOne(nodes.map(\.node)) ? nodes.first : nil }

    var target: NodeTarget? { one.map { NodeTarget($0.node) } }

    func validate() throws { try selection.require(nodes.map(\.node), options) }

    func run(_ context: CommandContext) async throws {
        let group = try await scene.number(context)
        if let one {
            let scenes = try await EndpointScenes(of: one, context).scenes(of: group)
            return context.console.result(scenes.map { Self.report($0, of: group) })
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
                var scenes: [KeptScene] = []
                for endpoint in places[node.nodeID] ?? [] {
                    scenes += try await EndpointScenes(of: node, at: endpoint, NodeTarget(node), context).scenes(
                        of: group)
                }
                return scenes
            }
        }
        try NodeRound.print(answers, isOne: false, context.console) { _, scenes in
            Report { Field("scenes", scenes.map { Self.report($0, of: group) }) }
        } rows: { node, scenes in
            scenes.map { Self.report($0, of: group, node) }
        }
    }

    /// - Parameter node: where the scenes of several nodes are shown.
    private static func report(_ scene: KeptScene, of group: UInt16, _ node: NodeRecord? = nil) -> Report {
        Report {
            if let node { Field(column: "NODE", [node.label]) }
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
