import Logging
import MatterController
import MatterDataModel
import MatterInteraction
import MatterRecords
import MatterTLV

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
