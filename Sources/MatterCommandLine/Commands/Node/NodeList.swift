import ArgumentParser
import MatterRecords

extension NodeCommand {
    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the nodes, pending ones included.",
            discussion: "Example: matterctl node ls --json", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let directory = try state.state()
            let fabric: FabricRecord
            do {
                fabric = try FabricStore(directory).select(state.fabricName)
            } catch let error as RecordError where error.code == .noFabric {
                return console.result([])
            }
            let (nodes, faults) = try NodeStore(directory, fabric: fabric.name).sound()
            // One that was cut short between the two records is a node, and is told to the issuer with the next try.
            let journal = try CommissioningJournal(directory, fabric: fabric.name).sound()
            let pending = journal.nodes.filter { node in !nodes.contains { $0.nodeID == node.nodeID } }
            console.result(nodes.map { Report($0) } + pending.map { Report($0) })
            // What can be read is of use; that something cannot is said after it.
            if let fault = (faults + journal.faults).first { throw fault }
        }
    }
}
