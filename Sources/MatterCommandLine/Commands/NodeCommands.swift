import ArgumentParser
import JSON
import MatterCommissioning
import MatterController
import MatterCredentials
import MatterDataModel
import MatterRecords
import MatterSession
import MatterStore
import MatterTransport
import RainMaker

struct NodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "The nodes of a fabric.",
        discussion: "Example: matterctl node show kitchen",
        subcommands: [List.self, Show.self, Rename.self, Forget.self, Remove.self])

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

    struct Show: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what is known of a node.",
            discussion: "Example: matterctl node show kitchen")

        @Argument(help: "Node id or name.") var node: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws {
            let controller = Controller(
                Controller.Options(state: try state.state(), fabric: state.fabricName, logger: try output.logger()))
            let record = try await controller.node(node)
            if output.json {
                output.console.result(NodeReport(record).json)
            } else {
                output.console.pairs(NodeReport(record).lines)
            }
        }
    }

    struct Rename: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a node another name.",
            discussion: "Example: matterctl node rename 1 kitchen")

        @Argument(help: "Node id or name.") var node: String
        @Argument(help: "The new name.") var name: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws {
            let controller = Controller(
                Controller.Options(state: try state.state(), fabric: state.fabricName, logger: try output.logger()))
            let record = try await controller.node(node)
            try await controller.nodes().update(record.nodeID) { $0.name = name }
        }
    }

    struct Forget: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Forget a node without telling it; it stays on the fabric.",
            discussion: "Example: matterctl node forget 5 --yes")

        @Argument(help: "Node id or name.") var node: String
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws {
            let controller = Controller(
                Controller.Options(
                    state: try state.state(), fabric: state.fabricName, logger: try output.logger()))
            let id = try await target(controller)
            try output.console.confirm(
                "Forget \(NodeTarget(node).text)? The device itself keeps its place on the fabric.", given: yes)
            try await controller.forget(id)
            let fabric = try await controller.fabric().name
            try RainMakerStore(controller.options.state, fabric: fabric).removePending(of: id)
        }

        /// A node, one whose commissioning is pending, one whose record is damaged, or what is left of one.
        private func target(_ controller: Controller) async throws -> NodeID {
            do {
                return try await controller.node(node).nodeID
            } catch let error as RecordError where error.code == .pendingNode {
                guard let pending = try await controller.journal().find(node) else { throw error }
                return pending.nodeID
            } catch let error where error.isDamagedRecord || (error as? RecordError)?.code == .unknownNode {
                guard let number = NameRule.parseNumber(node), try await controller.hasRemains(of: NodeID(number))
                else { throw error }
                return NodeID(number)
            }
        }
    }

    struct Remove: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Make the device leave the fabric, then forget it.",
            discussion: """
                On a RainMaker fabric the cloud is told too. If it cannot be told, that is kept: the same command again, or \
                'cloud sync', repeats it.

                Example: matterctl node remove kitchen --yes
                """)

        @Argument(help: "Node id or name.") var node: String
        @Flag(help: "The device is gone for good: do not try to reach it.") var offline = false
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var target: NodeTarget? { NodeTarget(node) }

        func run(_ context: CommandContext) async throws {
            let removal = try await NodeRemoval(context)
            let record: NodeRecord
            do {
                record = try await context.controller.node(node)
            } catch let error as RecordError where error.code == .unknownNode {
                // It may have left, and the cloud may not know yet; or the records went only in part.
                let remains = try await removeRemains(context)
                guard try await removal.repeat(node) || remains else { throw error }
                return
            }
            try context.console.confirm(
                offline
                    ? "Forget \(NodeTarget(node).text) here and in the cloud?"
                    : "Remove \(NodeTarget(node).text) from the fabric?",
                given: yes)
            do {
                try await removal.remove(record, isGone: offline, deadline: context.deadline(for: record))
            } catch let error as SessionError {
                throw AdvisedError(
                    error: error,
                    advice: "if it is gone for good: matterctl node remove --offline \(NodeTarget(node).argument)")
            }
            if offline {
                context.console.message(
                    "warning: the device was not told; if it comes back, its certificate is still valid on the fabric")
            }
        }

        /// Clears away what an interrupted removal has left.
        private func removeRemains(_ context: CommandContext) async throws -> Bool {
            guard let number = NameRule.parseNumber(node),
                try await context.controller.hasRemains(of: NodeID(number))
            else { return false }
            try await context.controller.forget(NodeID(number))
            return true
        }
    }
}

/// What is printed of a node.
struct NodeReport {
    private let node: NodeRecord

    init(_ node: NodeRecord) { self.node = node }

    var json: JSONValue {
        var object: JSONObject = ["node": .id(node.nodeID.rawValue)]
        object["name"] = node.name.map { .string($0) }
        object["room"] = node.room.map { .string($0) }
        object["vendorId"] = node.vendorID.map { .uint(UInt64($0)) }
        object["productId"] = node.productID.map { .uint(UInt64($0)) }
        object["vendorName"] = node.vendorName.map { .string($0) }
        object["productName"] = node.productName.map { .string($0) }
        object["serialNumber"] = node.serialNumber.map { .string($0) }
        object["addresses"] = .array(node.addresses.map { .string($0.description) })
        object["endpoints"] = .array(node.endpoints.map { EndpointReport($0).json })
        object["state"] = "commissioned"
        return .object(object)
    }

    static func pending(_ node: PendingNode) -> JSONValue {
        var object: JSONObject = ["node": .id(node.nodeID.rawValue)]
        object["name"] = node.name.map { .string($0) }
        object["vendorId"] = node.vendorID.map { .uint(UInt64($0)) }
        object["productId"] = node.productID.map { .uint(UInt64($0)) }
        object["state"] = "pending"
        return .object(object)
    }

    static func row(_ node: NodeRecord) -> [String] {
        [
            "\(node.nodeID.rawValue)", TerminalText.escaped(node.name ?? "-"),
            TerminalText.escaped(node.productName ?? "-"), node.addresses.first?.description ?? "-", "commissioned",
        ]
    }

    /// Each key with its value, or with the parts of a list.
    var lines: [(key: String, values: [String])] {
        var lines = [("node", ["\(node.nodeID.rawValue)"])]
        func line(_ key: String, _ value: String?) {
            if let value { lines.append((key, [TerminalText.escaped(value)])) }
        }
        line("name", node.name)
        line("room", node.room)
        line("vendor", Self.label(node.vendorName, node.vendorID))
        line("product", Self.label(node.productName, node.productID))
        line("serial", node.serialNumber)
        for address in node.addresses { line("address", address.description) }
        for endpoint in node.endpoints {
            let report = EndpointReport(endpoint)
            var parts = report.clusters
            let types = report.deviceTypes.joined(separator: ", ") + ":"
            parts = parts.isEmpty ? [types] : ["\(types) \(parts[0])"] + parts.dropFirst()
            lines.append(("endpoint \(endpoint.number)", parts.map(TerminalText.escaped)))
        }
        return lines
    }

    private static func label(_ name: String?, _ id: UInt16?) -> String? {
        guard let id else { return name }
        return [name, hexadecimal(UInt32(id))].compactMap { $0 }.joined(separator: " ")
    }
}

extension Error {
    /// Whether a record is there and cannot be used.
    fileprivate var isDamagedRecord: Bool {
        (self as? StoreError)?.code == .damaged || (self as? RecordError)?.code == .invalid
    }
}
