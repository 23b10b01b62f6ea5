import ArgumentParser
import MatterController
import MatterCredentials
import MatterDataModel
import MatterInteraction
import MatterSession

struct Read: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read attributes.",
        discussion: """
            A PATH is EP/CLUSTER/ATTRIBUTE, each a number or a name, * for all; EP/CLUSTER is all attributes of a cluster.

            Example: matterctl read kitchen 1/on-off/on-off
            """)

    @Argument(help: "Node id or name.") var node: NodeArgument
    @Argument(help: "What to read.") var paths: [String]
    @Flag(help: "Enums and bitmaps as numbers.") var numeric = false
    @Flag(help: "Fail if any path does.") var strict = false
    @Flag(name: .long, help: "Also entries of other fabrics.") var allFabrics = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup var options: NetworkOptions

    var target: String? { "node \(node.node)" }

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let catalogue = try catalogue.catalogue(try options.state.state())
        let wanted = try paths.map { text throws in
            let path = try ElementPath(text, .attribute) { () throws(DataModelError) in catalogue }
            return AttributePath(endpoint: path.endpoint, cluster: path.cluster, attribute: path.element)
        }
        let record = try await context.controller.node(node.node)
        let link = try await context.controller.link(to: record)
        let result = try await link.read(wanted, isFabricFiltered: !allFabrics, deadline: context.deadline(for: record))
        try AttributeOutput(
            context, node: record.nodeID.rawValue, catalogue: catalogue, numeric: numeric, isStrict: strict
        ).print(
            Self.ordered(result.attributes, by: wanted), requested: wanted, unattributed: result.unattributed)
    }

    /// In request order; the answers to one path in the order of the device.
    private static func ordered(_ reports: [AttributeReport], by paths: [AttributePath]) -> [AttributeReport] {
        var rest = reports
        var ordered: [AttributeReport] = []
        for path in paths {
            ordered += rest.filter { path.covers($0.path) }
            rest.removeAll { path.covers($0.path) }
        }
        return ordered + rest
    }
}

extension AttributePath {
    fileprivate func covers(_ path: ConcreteAttributePath) -> Bool {
        (endpoint ?? path.endpoint) == path.endpoint && (cluster ?? path.cluster) == path.cluster
            && (attribute ?? path.attribute) == path.attribute
    }
}
