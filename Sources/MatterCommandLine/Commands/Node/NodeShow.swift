import ArgumentParser
import MatterController

extension NodeCommand {
    struct Show: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what is known of a node, or of a device behind a bridge.",
            discussion: "Example: matterctl node show kitchen")

        @Argument(help: "Node id or name, or a device behind a bridge.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let controller = try state.controller()
            let (node, endpoint) = try controller.nodes.place(of: node.node, endpoint: node.endpoint)
            if let device = endpoint.flatMap({ node.bridged(at: $0.rawValue) }) {
                return console.result(Report(device))
            }
            let names = LedgerNames(try state.state())
            let session = try controller.links.keptStates().first { $0.node.nodeID == node.nodeID }
            let known = try controller.links.withLastSeen([node]).first ?? node
            console.result {
                Report(known)
                Field("keptSession", session.map(\.report), label: "session", text: session.map(\.words))
                Report(ledger: names, node.vendorID, node.productID)
            }
        }
    }
}
