import ArgumentParser
import MatterController

extension NodeCommand {
    struct Rename: NodeSubject {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a node or a device behind a bridge another name.",
            discussion: """
                The name is kept here; --on-device and --cloud tell the device and the cloud of the fabric, too.

                Example: matterctl node rename 1 kitchen --on-device
                """)

        @Argument(help: "Node id or name, or a device behind a bridge.") var node: NodeArgument
        @Argument(help: "The new name.") var name: String
        @Flag(name: .long, help: "Also write it into the device (NodeLabel), for other controllers to see.")
        var onDevice = false
        @Flag(help: "Also tell the cloud that issues for the fabric.") var cloud = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        /// Without the device, there is no session to share.
        var isServed: Bool { onDevice && !cloud }

        func run(_ context: CommandContext) async throws {
            try ShortForms.check(name)
            let (record, endpoint) = try context.controller.nodes.place(of: node.node, endpoint: node.endpoint)
            var places: NodeService.NamePlaces = []
            if onDevice { places.insert(.device) }
            if cloud { places.insert(.service) }
            try await context.controller.nodes.rename(
                record, bridged: endpoint, to: name, alsoAt: places, budget: context.budget)
            try context.console.object(Report(changed: record, endpoint, in: context.controller))
        }
    }
}
