import ArgumentParser
import MatterRecords

extension NodeCommand {
    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the nodes, pending ones included.",
            discussion: "Example: matterctl node ls --room Hall", aliases: ["list"])

        @OptionGroup var filter: NodeFilter
        @OptionGroup var catalogue: CatalogueOptions
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let directory = try state.state()
            let criteria = filter.isGiven ? try filter.criteria(in: try catalogue.catalogue(directory)) : []
            let fabric: FabricRecord
            do {
                fabric = try FabricStore(directory).select(state.fabricName)
            } catch let error as RecordError where error.code == .noFabric {
                return console.result([])
            }
            let (nodes, faults) = try NodeStore(directory, fabric: fabric.name).sound()
            // One that was cut short between the two records is a node, and is told to the issuer with the next try.
            let journal = try CommissioningJournal(directory, fabric: fabric.name).sound()
            let pending = journal.nodes.filter { node in
                !nodes.contains { $0.nodeID == node.nodeID } && !filter.needsEndpoints
                    && (filter.room.map { Room.isSame($0, node.room) } ?? true)
            }
            let chosen = nodes.filter { node in criteria.allSatisfy { $0.isMet(within: node) } }
            let rows = chosen.flatMap { node in
                [Report(node)] + (console.isJSON ? [] : node.bridged.map { Report($0) })
            }
            console.result(rows + pending.map { Report($0) })
            // What can be read is of use; that something cannot is said after it.
            if let fault = (faults + journal.faults).first { throw fault }
        }
    }
}
