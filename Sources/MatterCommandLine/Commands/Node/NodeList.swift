import ArgumentParser
import JSON
import MatterCredentials
import MatterDataModel
import MatterRecords

extension NodeCommand {
    struct List: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the nodes, pending ones included.",
            discussion: "Example: matterctl node ls --json", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws {
            let directory = try state.state()
            let fabric: FabricRecord
            do {
                fabric = try FabricStore(directory).select(state.fabricName)
            } catch let error as RecordError where error.code == .noFabric {
                if output.json { output.console.result(.array([])) }
                return
            }
            let (nodes, faults) = try NodeStore(directory, fabric: fabric.name).sound()
            // One that was cut short between the two records is a node, and is told to the issuer with the next try.
            let journal = try CommissioningJournal(directory, fabric: fabric.name).sound()
            let pending = journal.nodes.filter { node in !nodes.contains { $0.nodeID == node.nodeID } }
            let fault = (faults + journal.faults).first
            if output.json {
                output.console.result(
                    .array(nodes.map { NodeReport($0).json } + pending.map { NodeReport.pending($0) }))
                if let fault { throw fault }
                return
            }
            let rows =
                nodes.map(NodeReport.row)
                + pending.map { node in
                    ["\(node.nodeID.rawValue)", TerminalText.escaped(node.name ?? "-"), "-", "-", "pending"]
                }
            output.console.rows(["NODE", "NAME", "PRODUCT", "ADDRESS", "STATE"], rows)
            // What can be read is of use; that something cannot is said after it.
            if let fault { throw fault }
        }
    }
}
