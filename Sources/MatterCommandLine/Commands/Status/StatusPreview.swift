import MatterController
import Synchronization

/// The table of `status` while some nodes are still waited for: what has answered, and `…` for the rest.
final class StatusPreview: Sendable {
    private let nodes: [NodeRecord]
    private let console: Console
    private let isMeant: @Sendable (DeviceStatus) -> Bool
    /// By the numbers of the nodes.
    private let answers = Mutex<[UInt64: [DeviceStatus]]>([:])

    init(_ nodes: [NodeRecord], _ console: Console, _ isMeant: @escaping @Sendable (DeviceStatus) -> Bool) {
        self.nodes = nodes
        self.console = console
        self.isMeant = isMeant
    }

    func note(_ devices: [DeviceStatus], of node: NodeRecord) {
        answers.withLock { $0[node.nodeID.rawValue] = devices }
    }

    /// None before the first answer.
    var lines: [String] {
        let answers = answers.withLock { $0 }
        let devices = Status.byRoom(nodes.flatMap { answers[$0.nodeID.rawValue] ?? [] }.filter(isMeant))
        let reports = devices.map { Report(status: $0, console) }
        guard let columns = reports.first?.columns else { return [] }
        let waiting = nodes.filter { answers[$0.nodeID.rawValue] == nil }.map { node in
            columns.map { column -> String in
                if column == "ROOM" { return TerminalText.escaped(node.room ?? "-") }
                if column == "NODE" { return "\(node.nodeID.rawValue)" }
                if column == "NAME" { return TerminalText.escaped(node.name ?? "-") }
                return column == "STATE" ? console.terminal.ellipsis : "-"
            }
        }
        return console.table.lines(columns, reports.map(\.row) + waiting)
    }
}
