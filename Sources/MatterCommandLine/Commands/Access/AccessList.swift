import ArgumentParser
import MatterController

struct AccessList: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Show who may do what on a device: its access control list.",
        discussion: """
            It has the entries of our fabric, and only administrators may read it. 'us' marks what means this controller. \
            The last column is the number of the entry.

            Example: matterctl acl ls kitchen
            """, aliases: ["list"])

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let report = try await AccessListReport(
            context, catalogue: try catalogue.catalogue(try options.state.state()))
        let list = try await context.controller.links.link(to: record).accessList(
            deadline: context.deadline(for: record))
        report.print(list, of: record)
    }
}
