import ArgumentParser
import MatterController

extension NodeCommand {
    struct Show: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what is known of a node.",
            discussion: "Example: matterctl node show kitchen")

        @Argument(help: "Node id or name.") var node: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws {
            let controller = try state.controller()
            let record = try await controller.node(node)
            if output.json {
                output.console.result(NodeReport(record).json)
            } else {
                output.console.pairs(NodeReport(record).lines)
            }
        }
    }
}
