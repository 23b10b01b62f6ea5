import MatterController
import Synchronization

/// Values as lines for spreadsheets and programs: time, node, name, path, value, unit.
final class ValueTable: ValueSink {
    private static let header = ["time", "node", "name", "path", "value", "unit"]

    private let console: Console
    private let catalogue: Catalogue
    private let isBegun = Mutex(false)

    init(_ console: Console, _ catalogue: Catalogue) {
        self.console = console
        self.catalogue = catalogue
    }

    func begin() {
        let isFirst = isBegun.withLock { isBegun in
            defer { isBegun = true }
            return !isBegun
        }
        if isFirst { console.result(CSVText.line(Self.header)) }
    }

    func take(_ value: FollowedValue, of node: NodeRecord, at time: UInt64) {
        console.result(
            CSVText.line([
                PointInTime.text(time, as: .posixMilliseconds) ?? "", "\(node.nodeID.rawValue)",
                TerminalText.escaped(node.name ?? ""), TerminalText.escaped(value.path.text(in: catalogue)),
                value.text ?? "", value.unit,
            ]))
    }

    func lose(_ node: NodeRecord, _ reason: String, at time: UInt64) {
        note(node, "no reports any more (\(reason)); trying again")
    }

    func resume(_ node: NodeRecord, at time: UInt64) { note(node, "reports again") }

    func end(_ node: NodeRecord, _ reason: String, at time: UInt64) { note(node, "followed no longer: \(reason)") }

    func note(_ node: NodeRecord, _ text: String) {
        console.message(TerminalText.escaped("\(NodeTarget(node).text): \(text)"))
    }

    func close() {}
}
