import JSON

/// A list that is printed while it is made: an array, or rows. On a terminal the rows wait for the last one, as the widths
/// of the columns depend on all of them.
struct ResultList {
    private static let portion = 8192

    private let console: Console
    private var isFirst = true
    private var text = ""
    private var waiting: [Report] = []

    init(console: Console) { self.console = console }

    mutating func add(_ report: Report) {
        guard console.isJSON || !console.isTerminal else { return waiting.append(report) }
        if console.isJSON {
            text += (isFirst ? "[" : ",") + report.json.serialized()
        } else {
            text += report.row.joined(separator: "\t") + "\n"
        }
        isFirst = false
        if text.utf8.count >= Self.portion {
            console.terminal.part(text)
            text = ""
        }
    }

    func end() {
        guard console.isJSON || !console.isTerminal else { return console.result(waiting) }
        let end = console.isJSON ? (isFirst ? "[]\n" : "]\n") : ""
        console.terminal.part(text + end)
    }
}
