import ArgumentParser
import Logging
import MatterController
import MatterCredentials
import MatterDataModel
import MatterInteraction
import MatterRecords
import MatterSession
import MatterTLV
import MatterTransport

/// A command that does one thing to one cluster of a node and prints nothing when it worked.
protocol EverydayCommand: NetworkCommand {
    var node: NodeArgument { get }
    var verify: Bool { get }
    static var cluster: (id: ClusterID, name: String) { get }
    /// What `--verify` reads back.
    static var attribute: AttributeID { get }

    func command(endpoint: EndpointID) -> Command

    /// Whether what is read back means nothing while the light is off.
    var dependsOnLight: Bool { get }
}

extension EverydayCommand {
    var dependsOnLight: Bool { false }

    var target: NodeTarget? { NodeTarget(node.node) }

    func run(_ context: CommandContext) async throws {
        let controller = context.controller
        var record = try await controller.node(node.node)
        if node.endpoint == nil { record = try await controller.describedNode(node.node, deadline: context.deadline) }
        if node.endpoint == nil,
            !record.endpoints.contains(where: { $0.serverClusters.contains(Self.cluster.id.rawValue) })
        {
            // It may have gained one since it was described.
            record = try await controller.describedAnew(record, deadline: context.deadline(for: record))
        }
        let endpoint = try record.endpoint(
            serving: Self.cluster.id, named: node.endpoint, clusterName: Self.cluster.name)
        let command = command(endpoint: endpoint)
        let link = try await controller.link(to: record)
        let path = ConcreteAttributePath(endpoint: endpoint, cluster: Self.cluster.id, attribute: Self.attribute)
        do {
            let result = try await link.invoke(
                command, NodeLink.Repeatability(of: command, in: .standard), deadline: context.deadline(for: record))
            try CommandStatus.check(result, of: NodeTarget(node.node))
        } catch var error as ControllerError where error.code == .outcomeUnknown {
            error.state = await link.stateAfterwards([AttributePath(path)])
            throw error
        }
        context.logger.debug("done at endpoint \(endpoint)")
        guard verify else { return }
        let light = ConcreteAttributePath(endpoint: endpoint, cluster: OnOff.id, attribute: OnOff.Attribute.onOff)
        let state = try await link.read(
            [AttributePath(path)] + (dependsOnLight ? [AttributePath(light)] : []),
            deadline: context.deadline(for: record))
        let isLit = state.attributes.first { $0.path == light }?.value == .bool(false) ? false : nil
        try AttributeOutput(context, record, NodeTarget(node.node)).print(
            state.attributes.filter { $0.path == path }, requested: [AttributePath(path)],
            isLit: isLit)
    }
}

extension NodeLink.Repeatability {
    /// What the catalogue says of a command.
    init(of command: Command, in catalogue: Catalogue) {
        self =
            catalogue.mayRepeat(command: command.path.command, ofCluster: command.path.cluster)
            ? .absolute : .atMostOnce
    }
}

/// Turns the status of a command into an error.
enum CommandStatus {
    static func check(_ result: CommandResult, of target: NodeTarget) throws {
        guard case .status(let status) = result.outcome, !status.isSuccess else { return }
        let path = ElementPath(
            endpoint: result.path.endpoint, cluster: result.path.cluster, element: result.path.command.rawValue)
        throw ControllerError(
            .status, "\(target.text) answered the command \(path.text(.command, in: .standard)) with \(status)",
            status: status)
    }
}

struct On: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Switch on.", discussion: "Example: matterctl on kitchen")
    static let cluster = (id: OnOff.id, name: "OnOff")
    static let attribute = OnOff.Attribute.onOff

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Flag(help: "Read the state back and print it.") var verify = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func command(endpoint: EndpointID) -> Command {
        Command(endpoint: endpoint, cluster: OnOff.id, command: OnOff.Command.on)
    }
}

struct Off: EverydayCommand {
    /// EffectIdentifierEnum of the OnOff cluster (1.5.5.3).
    enum Effect: String, ExpressibleByArgument, CaseIterable {
        case delayedAllOff = "delayed-all-off"
        case dyingLight = "dying-light"

        var number: UInt64 { self == .delayedAllOff ? 0 : 1 }
    }

    static let configuration = CommandConfiguration(
        commandName: "off", abstract: "Switch off.", discussion: "Example: matterctl off kitchen --effect dying-light")
    static let cluster = (id: OnOff.id, name: "OnOff")
    static let attribute = OnOff.Attribute.onOff

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Option(help: ArgumentHelp("How to go off: delayed-all-off or dying-light.", valueName: "EFFECT")) var effect:
        Effect?
    @Option(help: ArgumentHelp("With --effect: its variant.", valueName: "N")) var variant: UInt8?
    @Flag(help: "Read the state back and print it.") var verify = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        guard effect != nil || variant == nil else { throw ValidationError("--variant needs --effect") }
    }

    func command(endpoint: EndpointID) -> Command {
        guard let effect else {
            return Command(endpoint: endpoint, cluster: OnOff.id, command: OnOff.Command.off)
        }
        let fields = TLVValue.structure([
            TLVElement(0, .uint(effect.number)), TLVElement(1, .uint(UInt64(variant ?? 0))),
        ])
        return Command(endpoint: endpoint, cluster: OnOff.id, command: OnOff.Command.offWithEffect, fields: fields)
    }
}

struct Toggle: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle", abstract: "Switch on what is off, and off what is on.",
        discussion: "Example: matterctl toggle kitchen")
    static let cluster = (id: OnOff.id, name: "OnOff")
    static let attribute = OnOff.Attribute.onOff

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Flag(help: "Read the state back and print it.") var verify = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func command(endpoint: EndpointID) -> Command {
        Command(endpoint: endpoint, cluster: OnOff.id, command: OnOff.Command.toggle)
    }
}

/// `0`–`254` or `0%`–`100%`.
struct LevelValue: ExpressibleByArgument {
    var level: UInt8

    init?(argument: String) {
        if argument.hasSuffix("%") {
            guard let percent = Double(argument.dropLast()), (0...100).contains(percent) else { return nil }
            let level = UInt8((percent * 254 / 100).rounded())
            self.level = percent > 0 ? max(1, level) : 0
        } else {
            guard let level = UInt8(argument), level <= 254 else { return nil }
            self.level = level
        }
    }
}

struct Level: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "level", abstract: "Dim to a level.",
        discussion: """
            VALUE is 0–254 or 0%–100%. A light that is off comes on, and 0 switches it off, unless --no-on-off is given.

            Example: matterctl level kitchen 50% --transition 2s
            """)
    static let cluster = (id: LevelControl.id, name: "LevelControl")
    static let attribute = LevelControl.Attribute.currentLevel

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "0–254 or 0%–100%.") var value: LevelValue
    @Option(help: ArgumentHelp("How long the change takes.", valueName: "DURATION")) var transition: TimeSpan?
    @Flag(name: .long, help: "Change only the level; never switch the light on or off.") var noOnOff = false
    @Option(help: ArgumentHelp("OptionsMask, a bitmap (with --no-on-off).", valueName: "N")) var optionsMask: UInt8 = 0
    @Option(help: ArgumentHelp("OptionsOverride, a bitmap (with --no-on-off).", valueName: "N")) var optionsOverride:
        UInt8 = 0
    @Flag(help: "Read the state back and print it.") var verify = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        if !noOnOff, optionsMask != 0 || optionsOverride != 0 {
            throw ValidationError("--options-mask and --options-override need --no-on-off")
        }
        if let transition, transition.duration > .seconds(6553) {
            throw ValidationError("a transition takes at most 6553 s")
        }
    }

    // CurrentLevel keeps its last or least value while the light is off.
    var dependsOnLight: Bool { !noOnOff }

    func command(endpoint: EndpointID) -> Command {
        // Null lets the device choose its own pace.
        let time: TLVValue = transition.map { .uint(UInt64($0.duration / .milliseconds(100))) } ?? .null
        let fields = TLVValue.structure([
            TLVElement(0, .uint(UInt64(value.level))), TLVElement(1, time),
            TLVElement(2, .uint(UInt64(optionsMask))), TLVElement(3, .uint(UInt64(optionsOverride))),
        ])
        typealias Moves = LevelControl.Command
        let number = noOnOff ? Moves.moveToLevel : Moves.moveToLevelWithOnOff
        return Command(endpoint: endpoint, cluster: Self.cluster.id, command: number, fields: fields)
    }
}
