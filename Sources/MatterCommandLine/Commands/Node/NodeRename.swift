import ArgumentParser
import MatterController
import MatterRecords

extension NodeCommand {
    struct Rename: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a node another name.",
            discussion: "Example: matterctl node rename 1 kitchen")

        @Argument(help: "Node id or name, or a device behind a bridge.") var node: NodeArgument
        @Argument(help: "The new name.") var name: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let controller = try state.controller()
            let (record, endpoint) = try await controller.place(of: node.node, endpoint: node.endpoint)
            if let endpoint { return try await controller.update(record, bridged: endpoint) { $0.name = name } }
            try await controller.nodes().update(record.nodeID) { $0.name = name }
        }
    }
}
