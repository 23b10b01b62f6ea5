import ArgumentParser
import MatterController
import MatterDataModel
import MatterInteraction

struct Read: NodeSubject {
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
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let catalogue = try catalogue.catalogue(try options.state.state())
        let wanted = try paths.map { try WatchPaths.attribute($0, catalogue) }
        let record = try await context.controller.record(of: node.node)
        let link = try await context.controller.link(to: record)
        // One path is asked for once, however often it is wanted.
        var known: Set<AttributePath> = []
        let unique = wanted.filter { known.insert($0).inserted }
        let result = try await link.read(unique, isFabricFiltered: !allFabrics, deadline: context.deadline(for: record))
        try AttributeOutput(
            context, record, NodeTarget(node.node), catalogue: catalogue, numeric: numeric, isStrict: strict
        ).print(
            Self.ordered(result.attributes, by: wanted), requested: wanted, unattributed: result.unattributed)
    }

    /// In request order, once for each path that was asked for; the answers to one path in the order of the device.
    private static func ordered(_ reports: [AttributeReport], by paths: [AttributePath]) -> [AttributeReport] {
        paths.flatMap { path in reports.filter { path.covers($0.path) } }
            + reports.filter { report in !paths.contains { $0.covers(report.path) } }
    }
}
