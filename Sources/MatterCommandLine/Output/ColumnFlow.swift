import Synchronization

/// Rows that are printed one after the other: tab-separated, or on a terminal in columns under headings. The next rows are not
/// known yet, so a column gets wider when it has to.
final class ColumnFlow: Sendable {
    private struct State {
        var widths: [Int]
        var isBegun = false
    }

    private let console: Console
    private let header: [String]
    private let state: Mutex<State>

    /// - Parameter columns: the headings, and how wide the columns are at first; the last one ends where its text does.
    init(_ console: Console, _ columns: [(heading: String, expected: Int)]) {
        self.console = console
        header = columns.map(\.heading)
        state = Mutex(State(widths: columns.map { max(TableLayout.width(of: $0.heading), $0.expected) }))
    }

    /// Prints a row.
    ///
    /// - Parameter raw: what is printed where no person reads, if that is something else.
    func print(_ row: [String], raw: [String]? = nil) {
        guard console.isTerminal else { return console.result((raw ?? row).joined(separator: "\t")) }
        let terminal = console.terminal
        state.withLock { state in
            if !state.isBegun {
                for heading in lines(header, state.widths) {
                    console.result(terminal.hasColors(.output) ? TextStyle.bold.applied(to: heading) : heading)
                }
                state.isBegun = true
            }
            for (column, cell) in row.enumerated().dropLast() where state.widths.indices.contains(column) {
                state.widths[column] = max(state.widths[column], TableLayout.width(of: cell))
            }
            for line in lines(row, state.widths) { console.result(line) }
        }
    }

    /// The last cell takes as many lines as it needs.
    private func lines(_ row: [String], _ widths: [Int]) -> [String] {
        let start = zip(row.dropLast(), widths).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - TableLayout.width(of: cell))) + "  "
        }.joined()
        let (last, width) = (row.last ?? "", console.terminal.tableWidth)
        let parts = width.map { TableLayout.folded(last, to: $0 - TableLayout.width(of: start)) } ?? [last]
        return parts.enumerated().map { index, part in
            let line = (index == 0 ? start : String(repeating: " ", count: TableLayout.width(of: start))) + part
            return width.map { TableLayout.cut(line, to: $0, console.terminal.ellipsis) } ?? line
        }
    }
}
