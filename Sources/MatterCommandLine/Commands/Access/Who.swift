import ArgumentParser
import MatterController

struct Who: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "who", abstract: "Show everyone who has a say on devices: fabrics, administrators, open windows.",
        discussion: """
            A device shows its fabrics to each of its administrators, and of other fabrics' access entries only that they \
            are there. 'unknown' marks a fabric whose vendor has no name here, and an administrator of our fabric who is \
            neither us nor a node that we know.

            Example: matterctl who kitchen
            """)

    @Argument(help: "Node ids, names or patterns of names.", completion: .kind(.node)) var nodes: [String] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    func validate() throws { try selection.require(nodes, options) }

    func run(_ context: CommandContext) async throws {
        let controller = context.controller
        let catalogue = try catalogue.catalogue(try options.state.state())
        let chosen = try await selection.nodes(nodes, of: controller, in: catalogue)
        let report = AdministrationReport(
            names: try await FabricNames(controller), access: try await AccessListReport(context, catalogue: catalogue))
        let answers = try await NodeAnswer.each(of: chosen) { node in
            try await controller.links.withLink(to: node) { link in
                try await link.administration(deadline: context.deadline(for: node))
            }
        }
        try NodeRound.print(
            answers, isOne: selection.meansOne(nodes), context.console, object: { report.object($1) },
            rows: { report.rows($1, of: $0) })
    }
}
