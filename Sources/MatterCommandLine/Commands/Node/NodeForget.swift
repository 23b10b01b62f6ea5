import ArgumentParser
import MatterController

extension NodeCommand {
    struct Forget: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Forget a node without telling it; it stays on the fabric.",
            discussion: "Example: matterctl node forget 5 --yes")

        @Argument(help: "Node id or name.", completion: .kind(.node)) var node: String
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let controller = try state.controller()
            let id = try await target(controller)
            try console.confirm(
                "Forget \(NodeTarget(node).text)? The device itself keeps its place on the fabric.", given: yes)
            let warning = try await GroupKeyWarning([id], controller)
            let name = (try? controller.nodes.record(of: "\(id.rawValue)"))?.name
            try await controller.administration.forget(id)
            try await warning.print(console)
            console.object {
                Field("node", id)
                Field("name", name)
                Field("result", "forgotten")
            }
        }

        /// A node, one whose commissioning is pending, one whose record is damaged, or what is left of one.
        private func target(_ controller: Controller) async throws -> NodeID {
            do {
                return try controller.nodes.record(of: node).nodeID
            } catch let error as RecordError where error.code == .pendingNode {
                guard let pending = try controller.context.journal().find(node) else { throw error }
                return pending.nodeID
            } catch let error where error.isDamagedRecord || (error as? RecordError)?.code == .unknownNode {
                guard let number = NameRule.parseNumber(node),
                    try controller.administration.hasRemains(of: NodeID(number))
                else { throw error }
                return NodeID(number)
            }
        }
    }
}

extension Error {
    /// Whether a record is there and cannot be used.
    fileprivate var isDamagedRecord: Bool {
        (self as? StoreError)?.code == .damaged || (self as? RecordError)?.code == .invalid
    }
}
