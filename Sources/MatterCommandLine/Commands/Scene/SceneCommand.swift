import ArgumentParser
import MatterController

struct SceneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene", abstract: "Scenes, which lights and other devices keep.",
        discussion: "Example: matterctl scene recall hall 3",
        subcommands: [SceneList.self, SceneStore.self, SceneRecall.self, SceneRemove.self])
}

/// The number of a scene, 0 to 254.
struct SceneNumber: ExpressibleByArgument, TrailingValue {
    static let forms = "a scene, 0–254"

    let number: UInt8

    init?(argument: String) {
        guard let number = UInt8(argument), number < 255 else { return nil }
        self.number = number
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
    var words: NodesAndValue<SceneNumber> { get }
    var scene: SceneOptions { get }
    func verb(_ group: UInt16) throws -> any DeviceVerb
}

extension SceneVerbCommand {
    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { try verb(0) }

    func run(_ context: CommandContext) async throws {
        try await carryOut(try verb(try await scene.number(context)), context)
    }
}

struct SceneRecall: SceneVerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "recall", abstract: "Bring the state of a scene back.",
        discussion: "Example: matterctl scene recall hall 3 --transition 2s")

    @OptionGroup var words: NodesAndValue<SceneNumber>
    @OptionGroup var scene: SceneOptions
    @Option(help: ArgumentHelp("How long the change takes; by default as the scene says.", valueName: "DURATION"))
    var transition: TimeSpan?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb(_ group: UInt16) throws -> any DeviceVerb {
        SceneVerb(.recall, scene: try words.value().number, group: group, transition: transition?.duration)
    }
}

struct SceneStore: SceneVerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Keep the present state as a scene.",
        discussion: "Example: matterctl scene store hall 3 --name Evening")

    @OptionGroup var words: NodesAndValue<SceneNumber>
    @OptionGroup var scene: SceneOptions
    @Option(help: ArgumentHelp("The name of the scene, at most 16 bytes (one node).", valueName: "NAME"))
    var name: String?
    @Option(help: ArgumentHelp("How long a recall takes (with --name).", valueName: "DURATION"))
    var transition: TimeSpan?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        try everyday.check(nodes, options)
        guard name != nil || transition == nil else { throw ValidationError("--transition needs --name") }
        guard
            name == nil || everyday.meansOne(nodes) && nodes.first.flatMap(GroupTarget.init) == nil && !everyday.dryRun
        else { throw ValidationError("--name is for one node, and not for --dry-run") }
    }

    func verb(_ group: UInt16) throws -> any DeviceVerb {
        SceneVerb(.store, scene: try words.value().number, group: group)
    }

    func run(_ context: CommandContext) async throws {
        let group = try await scene.number(context)
        guard let name, let node = nodes.first else { return try await carryOut(try verb(group), context) }
        try await EndpointScenes(of: node, context).store(
            try words.value().number, of: group, named: name, transition: transition?.duration ?? .zero)
    }
}

struct SceneRemove: SceneVerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a scene.", discussion: "Example: matterctl scene remove hall 3")

    @OptionGroup var words: NodesAndValue<SceneNumber>
    @OptionGroup var scene: SceneOptions
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb(_ group: UInt16) throws -> any DeviceVerb {
        SceneVerb(.remove, scene: try words.value().number, group: group)
    }
}

struct SceneList: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the scenes of devices.", discussion: "Example: matterctl scene ls hall")

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup var scene: SceneOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

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
