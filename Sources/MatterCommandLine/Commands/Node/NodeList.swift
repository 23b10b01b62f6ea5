import ArgumentParser
import MatterController

extension NodeCommand {
    struct List: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the nodes, pending ones included.",
            discussion: """
                With --status they are asked whether they are reachable, for their battery and their firmware.

                Example: matterctl node ls --room Hall
                """, aliases: ["list"])
        static let defaultTimeout = Duration.seconds(10)

        @OptionGroup var filter: NodeFilter
        @Flag(help: "Ask them: reachable, battery, last seen, firmware.") var status = false
        @OptionGroup var catalogue: CatalogueOptions
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var onlyReads: Bool { true }
        var isServed: Bool { status }

        func validate() throws {
            guard options.address == nil else { throw ValidationError("--address is for one node") }
        }

        func run(_ context: CommandContext) async throws {
            let (console, directory) = (context.console, try options.state.state())
            let criteria = filter.isGiven ? try filter.query().criteria(in: try catalogue.catalogue(directory)) : []
            let fabric: FabricRecord
            do {
                fabric = try FabricStore(directory).select(options.state.fabricName)
            } catch let error as RecordError where error.code == .noFabric {
                return console.result([])
            }
            var (nodes, faults) = try NodeStore(directory, fabric: fabric.name).sound()
            if console.isJSON || status { nodes = try context.controller.links.withLastSeen(nodes) }
            // One that was cut short between the two records is a node, and is told to the issuer with the next try.
            let journal = try CommissioningJournal(directory, fabric: fabric.name).sound()
            let pending = journal.nodes.filter { node in
                !nodes.contains { $0.nodeID == node.nodeID } && !filter.needsEndpoints
                    && (filter.room.map { Room.isSame($0, node.room) } ?? true)
            }
            let chosen = nodes.filter { node in criteria.allSatisfy { $0.isMet(within: node) } }
            let rows = status ? try await asked(chosen, context) : chosen.flatMap { Self.rows($0, console) }
            console.result(rows + pending.map { Self.row(Report($0), nil, isAsked: status) })
            // The readable part is of use; the fault is said after it.
            if let fault = (faults + journal.faults).first { throw fault }
        }

        private func asked(_ nodes: [NodeRecord], _ context: CommandContext) async throws -> [Report] {
            let answers = try await NodeAnswer.each(of: nodes) { node in
                try await context.controller.devices.status(of: node, budget: context.budget)
            }
            return answers.flatMap { answer in
                let devices = answer.value ?? []
                return Self.rows(devices.first?.node ?? answer.node, context.console, devices)
            }
        }

        /// A node, and below it the devices behind it; programs find them in the node.
        private static func rows(
            _ node: NodeRecord, _ console: Console, _ status: [DeviceStatus]? = nil
        ) -> [Report] {
            func row(_ report: Report, _ endpoint: UInt16?) -> Report {
                Self.row(
                    report, status?.first { $0.device?.endpoint.number == endpoint }, isAsked: status != nil)
            }
            return [row(Report(node), nil)]
                + (console.isJSON ? [] : node.bridged.map { row(Report($0), $0.endpoint.number) })
        }

        private static func row(_ report: Report, _ status: DeviceStatus?, isAsked: Bool) -> Report {
            Report {
                report
                if isAsked { Report(health: status, isWhole: true) }
            }
        }
    }
}
