import ArgumentParser
import MatterController

extension NodeCommand {
    struct Show: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what is known of a node.",
            discussion: "Example: matterctl node show kitchen")

        @Argument(help: "Node id or name.") var node: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            console.result(Report(try await state.controller().record(of: node)))
        }
    }
}
