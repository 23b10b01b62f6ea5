import ArgumentParser
import MatterController
import MatterCredentials
import MatterDataModel
import MatterInteraction
import MatterRecords

struct AccessList: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Show who may do what on a device: its access control list.",
        discussion: """
            It has the entries of our fabric, and only administrators may read it. 'us' marks what means this controller. To \
            change the list, write the whole of it: matterctl write NODE 0/access-control/acl @FILE.

            Example: matterctl acl ls kitchen
            """, aliases: ["list"])

    @Argument(help: "Node id or name.") var node: NodeArgument
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let catalogue = try catalogue.catalogue(try options.state.state())
        let record = try await context.controller.record(of: node.node)
        let path = ConcreteAttributePath(
            endpoint: 0, cluster: AccessControlEntry.cluster, attribute: AccessControlEntry.attribute)
        let result = try await context.controller.link(to: record).read(
            [AttributePath(path)], deadline: context.deadline(for: record))
        let report = result.attribute(path)
        guard let value = report?.value else {
            var status: StatusIB?
            if case .failure(let failure)? = report?.outcome { status = failure }
            throw ControllerError(
                .status,
                "node \(node.node) does not show its access control list"
                    + (status.map { ": \($0)" } ?? ""), status: status)
        }
        let entries: [AccessControlEntry]
        do { entries = try AccessControlEntry.list(value) } catch {
            throw ControllerError(.status, "the access control list of node \(node.node) is malformed: \(error)")
        }
        let own = try await context.controller.credentials().identity
        let nodes = try await context.controller.nodes().all()
        let list = AccessListReport(own: own, nodes: nodes, catalogue: catalogue)
        let reports = entries.map(list.report)
        guard context.console.isJSON else { return context.console.result(reports) }
        context.console.object {
            Field("node", record.nodeID)
            Field("entries", reports)
            Field("dataVersion", report?.dataVersion)
        }
    }
}
