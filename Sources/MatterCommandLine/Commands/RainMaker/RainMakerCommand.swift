import ArgumentParser
import JSON
import MatterController
import MatterCredentials
import MatterDataModel
import MatterRecords
import MatterSession
import RainMaker

struct RainMakerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rainmaker", abstract: "The custom clusters of RainMaker devices.",
        discussion: "Example: matterctl rainmaker node-id Porch",
        subcommands: [
            RainMakerAccess.self, RainMakerNodeID.self, RainMakerChallenge.self, RainMakerController.self,
            RainMakerDataset.self,
            RainMakerParticipant.self,
        ])
}

struct RainMakerAccess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access", abstract: "The access that the users of a group have to its devices.",
        discussion: "Example: matterctl rainmaker access refresh --group 'Lake House'",
        subcommands: [AccessRefresh.self])
}

/// A command about one of the custom clusters of a node.
protocol CustomClusterCommand: NetworkCommand {
    var node: NodeArgument { get }
}

extension CustomClusterCommand {
    var target: NodeTarget? { NodeTarget(node.node) }

    func cluster(_ id: ClusterID, _ name: String, _ context: CommandContext) async throws -> CustomCluster {
        let record = try await context.controller.node(node.node)
        return try await CustomCluster(
            id, name, of: record, at: node.endpoint, link: context.controller.link(to: record),
            deadline: context.deadline(for: record))
    }
}

/// What a command prints of several values: lines, or one object.
struct ValueList {
    private var object: JSONObject
    private var lines: [(name: String, value: String)] = []

    init(node: NodeRecord) { object = ["node": .id(node.nodeID.rawValue)] }

    /// - Parameters:
    ///   - key: in JSON.
    ///   - name: in text.
    mutating func add(_ key: String, _ name: String, _ value: JSONValue) {
        object[key] = value
        lines.append((name, value.stringValue ?? value.serialized()))
    }

    func print(_ console: Console) {
        if console.isJSON { return console.result(.object(object)) }
        for line in lines { console.result("\(line.name)\t\(TerminalText.escaped(line.value))") }
    }
}

struct RainMakerNodeID: CustomClusterCommand {
    static let configuration = CommandConfiguration(
        commandName: "node-id", abstract: "Print the id that a device has in the cloud.",
        discussion: "Example: matterctl rainmaker node-id Porch")

    @Argument(help: "Node id or name.") var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let record = try await context.controller.node(node.node)
        let device = RainMakerDevice(
            link: try await context.controller.link(to: record), node: record, deadline: context.deadline(for: record))
        guard let id = try await device.rainmakerNodeID() else { throw Self.notRainMaker(node) }
        if context.console.isJSON {
            context.console.result(
                .object(["node": .id(record.nodeID.rawValue), "rainmakerNodeId": .string(id)]))
        } else {
            context.console.result(TerminalText.escaped(id))
        }
    }

    static func notRainMaker(_ node: NodeArgument) -> ControllerError {
        ControllerError(
            .unsupportedCluster, "\(NodeTarget(node.node).text) is not a RainMaker device: it has no RainMaker node id",
            hint: "see what it has: matterctl node show \(NodeTarget(node.node).argument)")
    }
}

struct RainMakerChallenge: CustomClusterCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenge", abstract: "Have a device sign its node id, and print the signature.",
        discussion: """
            A device signs a few times only until it is restarted. What it gives is what the cloud asks for: \
            matterctl cloud confirm REQUEST --group GROUP --rainmaker-node ID --signature HEX.

            Example: matterctl rainmaker challenge Porch
            """)

    @Argument(help: "Node id or name.") var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let record = try await context.controller.node(node.node)
        let device = RainMakerDevice(
            link: try await context.controller.link(to: record), node: record, deadline: context.deadline(for: record))
        guard let evidence = try await device.prove(as: record.nodeID.description) else {
            throw RainMakerNodeID.notRainMaker(node)
        }
        var list = ValueList(node: record)
        list.add("rainmakerNodeId", "rainmaker node", .string(evidence.nodeID))
        list.add("matterNodeId", "matter node", .string(record.nodeID.description))
        list.add("signature", "signature", .string(evidence.signature))
        list.print(context.console)
    }
}
