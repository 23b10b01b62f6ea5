import ArgumentParser
import MatterController
import MatterRecords

extension NodeCommand {
    struct Show: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what is known of a node.",
            discussion: "Example: matterctl node show kitchen")

        @Argument(help: "Node id or name.") var node: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let node = try await state.controller().record(of: node)
            let names = LedgerNames(try state.state())
            console.result {
                Report(node)
                Report(ledger: names, node.vendorID, node.productID)
            }
        }
    }
}
