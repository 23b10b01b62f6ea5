import ArgumentParser
import MatterController

extension FabricCommand {
    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the fabrics.", discussion: "Example: matterctl fabric ls",
            aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let store = FabricStore(try state.state())
            let (records, faults) = try store.sound()
            let inUse = try? store.select(state.fabricName).name
            console.result(records.map { Report($0, isInUse: $0.name == inUse) })
            for name in console.isJSON ? [] : try store.halfRemoved() {
                let name = TerminalText.escaped(name)
                console.message(
                    "warning: keys of the removed fabric '\(name)' are still here; clear them away: "
                        + "matterctl fabric remove '\(name)'")
            }
            // The readable part is of use; the fault is said after it.
            if let fault = faults.first { throw fault.error }
        }
    }
}
