import ArgumentParser
import MatterController

extension NodeCommand {
    struct Refresh: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "refresh", abstract: "Read again what nodes are and have, and keep it.",
            discussion: """
                The endpoints with their device types and clusters, the devices behind a bridge, the firmware. What you \
                call them stays.

                Example: matterctl node refresh hub
                """)

        @Argument(help: NodeSelection.wholeNodesHelp, completion: .kind(.node)) var nodes: [String] = []
        @OptionGroup var selection: NodeSelection
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var onlyReads: Bool { true }
        var isServed: Bool { true }

        private var isOne: Bool { selection.meansOne(nodes) }

        var target: NodeTarget? { isOne ? nodes.first.map { NodeTarget($0) } : nil }

        func validate() throws { try selection.require(nodes, options) }

        func run(_ context: CommandContext) async throws {
            let records = try await selection.nodes(nodes, of: context.controller, in: .standard)
            let answers = try await NodeAnswer.each(of: records) { node in
                try await context.controller.links.withLink(to: node) { _ in
                    try await context.controller.nodes.refreshed(node, deadline: context.deadline(for: node))
                }
            }
            try NodeRound.print(answers, isOne: isOne, context.console) { _, node in
                Report(node)
            } rows: { _, node in
                isOne
                    ? []
                    : [
                        Report {
                            Field("node", node.nodeID, column: "NODE")
                            Field("name", node.name, column: "NAME")
                            Field("firmware", node.firmware, column: "FIRMWARE")
                            Field("result", "refreshed", column: "RESULT")
                        }
                    ]
            }
        }
    }
}
