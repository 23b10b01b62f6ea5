import ArgumentParser
import MatterController

extension FabricCommand {
    struct Remove: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a fabric with its keys, without telling its devices.",
            discussion: "Example: matterctl fabric remove lab --yes")

        @Argument(help: "The name.", completion: .kind(.fabric)) var name: String
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let store = FabricStore(try state.state())
            guard try store.isHere(name) else {
                _ = try store.select(name)
                return
            }
            // A damaged record does not keep the fabric from being removed.
            let nodes = try NodeStore(store.state, fabric: name).sound()
            let count = nodes.nodes.count + nodes.faults.count
            let loss = count == 0 ? "" : " and lose control of its \(count) node\(count == 1 ? "" : "s")"
            try console.confirm("Remove the fabric '\(name)' with its keys\(loss)?", given: yes)
            try await store.remove(name, runtime: RuntimeDirectory(environment: Environment.all))
            console.object {
                Field("fabric", name)
                Field("result", "removed")
            }
        }
    }
}
