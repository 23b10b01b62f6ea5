import MatterCommandLine
import RainMaker

/// A command about one of the custom clusters of a node.
protocol CustomClusterCommand: NodeSubject {}

extension CustomClusterCommand {
    /// True: most need no more than the session.
    var isServed: Bool { true }

    func cluster(_ id: ClusterID, _ name: String, _ context: CommandContext) async throws -> CustomCluster {
        let record = try context.controller.nodes.record(of: node.node)
        return try await CustomCluster(
            id, name, of: record, at: node.endpoint, link: context.controller.links.link(to: record),
            deadline: context.deadline(for: record))
    }
}
