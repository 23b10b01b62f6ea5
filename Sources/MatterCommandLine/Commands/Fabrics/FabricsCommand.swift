import ArgumentParser
import MatterController

/// The table of fabrics that a device has, where `fabric` is about our own.
struct FabricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fabrics", abstract: "The fabrics that a device is on.",
        discussion: """
            The fabrics of this state directory are another thing: matterctl fabric ls.

            Example: matterctl node fabrics kitchen
            """, subcommands: [List.self, Remove.self, Label.self], defaultSubcommand: List.self)

    struct List: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the fabrics that devices are on, with the vendors of their administrators.",
            discussion: "Example: matterctl node fabrics kitchen", aliases: ["list"])

        @Argument(help: "Node ids, names or patterns of names.", completion: .kind(.node)) var nodes: [String] = []
        @OptionGroup var selection: NodeSelection
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var onlyReads: Bool { true }
        var isServed: Bool { true }

        func validate() throws { try selection.require(nodes, options) }

        func run(_ context: CommandContext) async throws {
            let controller = context.controller
            let chosen = try await selection.nodes(nodes, of: controller, in: .standard)
            let names = try await FabricNames(controller)
            let answers = try await NodeAnswer.each(of: chosen) { node in
                try await controller.links.withLink(to: node) { link in
                    try await link.fabrics(deadline: context.deadline(for: node))
                }
            }
            let isOne = selection.meansOne(nodes)
            try NodeRound.print(
                answers, isOne: isOne, context.console, object: { names.report($1) },
                rows: { node, table in names.rows(table, of: isOne ? nil : node) })
        }
    }

    struct Remove: NodeSubject {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Make a device forget the fabric of another administrator.",
            discussion: """
                INDEX is the device's number for the fabric, as node fabrics shows it. Our own fabric leaves with node \
                remove.

                Example: matterctl node fabrics remove kitchen 2 --yes
                """)

        @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
        @Argument(help: "The number of the fabric.") var index: UInt8
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var isServed: Bool { yes }

        func validate() throws { try node.requireBare() }

        func run(_ context: CommandContext) async throws {
            let record = try context.controller.nodes.record(of: node.node)
            let link = try await context.controller.links.link(to: record)
            let table = try await link.fabrics(deadline: context.deadline(for: record))
            if let fabric = table.fabrics.first(where: { $0.index == index }), index != table.ownIndex {
                let whose = try await FabricNames(context.controller).vendor(fabric.vendorID)
                try context.console.confirm(
                    "Remove fabric \(index) (\(whose)) from \(NodeTarget(node.node).text)? Its administrator cannot use the "
                        + "device any more.", given: yes)
            }
            try await link.removeFabric(index, deadline: context.deadline(for: record))
            context.console.object(Report(record, result: "removed"))
        }
    }

    struct Label: NodeSubject {
        static let configuration = CommandConfiguration(
            commandName: "label", abstract: "Name our fabric on a device, for other administrators to see.",
            discussion: "Example: matterctl node fabrics label kitchen 'Lake House'")

        @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
        @Argument(help: "The name; at most 32 characters.") var label: String
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var isServed: Bool { true }

        func validate() throws { try node.requireBare() }

        func run(_ context: CommandContext) async throws {
            let record = try context.controller.nodes.record(of: node.node)
            try await context.controller.links.link(to: record).labelFabric(
                label, deadline: context.deadline(for: record))
            context.console.object(Report(record, result: "changed"))
        }
    }
}
