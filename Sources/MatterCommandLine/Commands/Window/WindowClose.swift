import ArgumentParser
import MatterController

struct WindowClose: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Close the commissioning window, also that of another administrator.",
        discussion: """
            A device that is being commissioned through the window forgets the attempt.

            Example: matterctl window close kitchen
            """)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { true }

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let record = try context.controller.nodes.record(of: node.node)
        let target = NodeTarget(node.node)
        let wasOpen = try await context.controller.administration.closeWindow(
            of: record, title: target.text, budget: context.budget)
        context.console.object {
            Field("node", record.nodeID)
            Field("name", record.name)
            Field("window", WindowState.Mode.closed.rawValue)
            Field("wasOpen", wasOpen)
        }
        if !wasOpen, !context.console.isJSON { context.console.message("\(target.text) has no window open") }
    }
}
