import MatterController
import Synchronization

/// The nodes of `share` that are under way or wait for their turn, as a table that changes.
final class ShareBoard: Sendable {
    private enum State {
        case waiting, checked, open(end: Int64), over
    }

    private let nodes: [NodeRecord]
    private let console: Console
    /// By the numbers of the nodes.
    private let states = Mutex<[UInt64: State]>([:])

    init(_ nodes: [NodeRecord], _ console: Console) {
        self.nodes = nodes
        self.console = console
    }

    func note(_ step: ShareStep, of node: NodeRecord) {
        let state: State =
            switch step {
            case .begun: .checked
            case .open(let window): .open(end: window.end)
            case .used, .ranOut, .shared, .present, .failed: .over
            }
        states.withLock { $0[node.nodeID.rawValue] = state }
    }

    var lines: [String] {
        let states = states.withLock { $0 }
        let rows = nodes.compactMap { node in
            text(states[node.nodeID.rawValue] ?? .waiting).map {
                ["\(node.nodeID.rawValue)", node.name.map(TerminalText.escaped) ?? "-", $0]
            }
        }
        return rows.isEmpty ? [] : console.table.lines(["NODE", "NAME", "STATE"], rows)
    }

    private func text(_ state: State) -> String? {
        switch state {
        case .waiting: return "waits for its turn"
        case .checked: return console.terminal.ellipsis
        case .open(let end):
            let left = max(0, end - console.terminal.unixTime())
            return "open, \(left / 60) min \(left % 60) s left"
        case .over: return nil
        }
    }
}
