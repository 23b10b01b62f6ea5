import ArgumentParser
import MatterController

extension NodeCommand {
    struct Disconnect: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "disconnect",
            abstract: "Forget the sessions with nodes, so that the next command sets up a new one.",
            discussion: """
                A command ends its session with it; what is kept lets the next one resume it. The nodes stay on the fabric.

                Example: matterctl node disconnect --all --purge
                """)

        @Argument(help: NodeSelection.wholeNodesHelp, completion: .kind(.node)) var nodes: [String] = []
        @OptionGroup var selection: NodeSelection
        @Flag(help: "Also forget where they were reached and how they want to be treated.") var purge = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func validate() throws { try selection.require(nodes) }

        func execute() async throws {
            let controller = try state.controller()
            var reports: [Report] = []
            for node in try await selection.nodes(nodes, of: controller, in: .standard) {
                try await controller.nodes.disconnect(node, purging: purge)
                reports.append(Report(node, result: "disconnected"))
            }
            if selection.meansOne(nodes), let report = reports.first { return console.object(report) }
            console.objects(reports)
        }
    }
}
