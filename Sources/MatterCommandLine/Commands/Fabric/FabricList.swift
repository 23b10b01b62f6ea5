import ArgumentParser
import JSON
import MatterCredentials
import MatterDataModel
import MatterRecords

extension FabricCommand {
    struct List: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the fabrics.", discussion: "Example: matterctl fabric ls",
            aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws {
            let store = FabricStore(try state.state())
            let (records, faults) = try store.sound()
            let inUse = try? store.select(state.fabricName).name
            if output.json {
                output.console.result(.array(records.map { FabricReport($0, isInUse: $0.name == inUse).json }))
                if let fault = faults.first { throw fault.error }
                return
            }
            output.console.rows(
                ["NAME", "FABRIC ID", "ISSUER", "IN USE"],
                records.map { record in
                    [
                        TerminalText.escaped(record.name), record.fabricID.description, record.issuer.rawValue,
                        record.name == inUse ? "yes" : "-",
                    ]
                })
            for name in try store.halfRemoved() {
                let name = TerminalText.escaped(name)
                output.console.message(
                    "warning: keys of the removed fabric '\(name)' are still here; clear them away: "
                        + "matterctl fabric remove '\(name)'")
            }
            // What can be read is of use; that something cannot is said after it.
            if let fault = faults.first { throw fault.error }
        }
    }
}
