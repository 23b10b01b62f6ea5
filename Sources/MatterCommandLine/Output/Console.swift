import MatterController

/// Where results and messages go: results on stdout and nothing else there, everything else on stderr.
public struct Console: Sendable {
    /// Whether results and errors are JSON.
    public let isJSON: Bool
    var terminal: Terminal = .current

    /// Whether stdout is a terminal.
    public var isTerminal: Bool { terminal.isTerminal(.output) }

    /// Whether a person can be asked in the middle of a command.
    var canAsk: Bool { !isJSON && terminal.isTerminal(.input) && terminal.isTerminal(.error) }

    /// How values are printed: on a terminal for people, with their units and names; raw for programs and with `--numeric`.
    func printer(numeric: Bool = false, in catalogue: Catalogue = .standard) -> ValuePrinter {
        isTerminal && !isJSON && !numeric
            ? ValuePrinter(forPeopleWith: catalogue) : ValuePrinter(numeric: numeric)
    }

    /// How words are read as values: a person is asked about a bare number that can be read in two ways.
    func parser(_ catalogue: Catalogue, isStrict: Bool = false) -> ValueParser {
        ValueParser(catalogue: catalogue, isStrict: isStrict) { canAsk ? meaning(of: $0) : nil }
    }

    private func meaning(of number: BareNumber) -> BareNumber.Meaning? {
        let (unit, steps) = (number.unit, number.steps)
        terminal.error("\(number.place) \(number.word): 1 for \(unit.text), or 2 for \(steps.text)? ")
        return switch (try? StandardInput.line())?.map({ $0.filter { $0 != " " } }) {
        case "1", unit.spelling: .unit
        case "2", steps.spelling: .steps
        default: nil
        }
    }

    /// One line of a result.
    public func result(_ line: String) { terminal.result(line) }

    /// A line of text that people read: on a terminal it takes as many as it needs, and what follows stands below its beginning.
    public func text(_ line: String) {
        let indentation = line.prefix { $0 == " " }.count
        guard isTerminal, !isJSON, let width = terminal.tableWidth else { return result(line) }
        let lead = String(repeating: " ", count: indentation)
        let parts = TableLayout.folded(String(line.dropFirst(indentation)), to: width - indentation - 4)
        for (index, part) in parts.enumerated() { result(lead + (index == 0 ? "" : "    ") + part) }
    }

    /// Prints a result.
    public func result(_ json: JSONValue) { result(json.serialized()) }

    /// One thing: an object, or a line for each member.
    public func result(_ report: Report) {
        if isJSON { result(report.json) } else { pairs(report.lines) }
    }

    /// Several: an array, or a table. A person is told that there are none.
    public func result(_ reports: [Report]) {
        if isJSON { return result(reports.json) }
        if isTerminal, reports.isEmpty { return message("none") }
        rows(reports.first?.columns ?? [], reports.map(\.row))
    }

    /// Prints results.
    public func result(@Report.Builder _ fields: () throws -> [Field]) rethrows { result(try Report(fields)) }

    /// A list that may be long: what ``result(_:)`` would print of all its members, without holding them.
    func list() -> ResultList { ResultList(console: self) }

    /// Something that only programs want to know.
    public func object(_ report: Report) { if isJSON { result(report.json) } }

    /// Several things that only programs want to know.
    func objects(_ reports: [Report]) { if isJSON { result(reports.json) } }

    /// Prints a result of these fields.
    public func object(@Report.Builder _ fields: () throws -> [Field]) rethrows { object(try Report(fields)) }

    /// One line beside the result; with JSON it keeps to the form of everything else on stderr.
    public func message(_ line: String) {
        terminal.message(
            isJSON ? JSONValue.object(["progress": .object(["note": .string(line)])]).serialized() : line)
    }

    /// Something that is wrong and stops nothing, with what to do about it. The text may come from outside.
    func warning(_ text: String, _ hint: Hint? = nil) {
        let step = hint.map { "; \(Hints.text($0))" } ?? ""
        message("warning: \(TerminalText.escaped(text + step))")
    }

    /// Rows as tab-separated lines, or as a table on a terminal.
    ///
    /// - Parameter isFolding: whether the last cell of a row may take several lines, instead of being shortened.
    public func rows(_ header: [String], _ rows: [[String]], isFolding: Bool = false) {
        let hasColors = terminal.hasColors(.output)
        guard isTerminal else {
            let lines = rows.map { row in
                (hasColors ? zip(header, row).map(Self.styled) : row).joined(separator: "\t")
            }
            if !lines.isEmpty { result(lines.joined(separator: "\n")) }
            return
        }
        var table = table
        if hasColors {
            table.style = { TextStyle(of: $1, under: $0) }
            table.headingStyle = .bold
        }
        for line in table.lines(header, isFolding ? table.foldingLast(header, rows) : rows) { result(line) }
    }

    /// A word as it looks in a table under a heading, where there are colours.
    func styled(_ word: String, under heading: String) -> String {
        terminal.hasColors(.output) ? Self.styled(heading, word) : word
    }

    private static func styled(_ heading: String, _ cell: String) -> String {
        TextStyle(of: cell, under: heading)?.applied(to: cell) ?? cell
    }

    /// The table that fits this terminal, without colours.
    var table: TableLayout { TableLayout(width: terminal.tableWidth, ellipsis: terminal.ellipsis) }

    /// Keys with their values as tab-separated lines; on a terminal in two columns, long lists over several lines.
    private func pairs(_ pairs: [(key: String, values: [String])]) {
        guard isTerminal, pairs.contains(where: { !$0.key.isEmpty }) else {
            for pair in pairs {
                result((pair.key.isEmpty ? "" : pair.key + "\t") + pair.values.joined(separator: ", "))
            }
            return
        }
        var column = (pairs.map(\.key.count).max() ?? 0) + 2
        // On a narrow terminal the values stand below their keys.
        let isNarrow = terminal.tableWidth.map { $0 - column < Self.narrowest } ?? false
        if isNarrow { column = 2 }
        let width = max(Self.narrowest, terminal.width - column)
        for pair in pairs {
            let lines = ValueLayout.wrapped(pair.values, width: width).flatMap { TableLayout.folded($0, to: width) }
            for (index, line) in lines.enumerated() {
                if isNarrow, index == 0 { result(pair.key) }
                let key = index == 0 && !isNarrow ? pair.key : ""
                result(key + String(repeating: " ", count: column - key.count) + line)
            }
        }
    }

    private static let narrowest = 20

    /// Asks a yes-or-no question on the terminal; without one, `--yes` is needed.
    public func confirm(_ question: String, given yes: Bool) throws {
        if yes { return }
        guard terminal.isTerminal(.input), terminal.isTerminal(.error) else {
            throw CommandLineError(
                .usageConfirmationNeeded, "confirmation needed: \(question)")
        }
        terminal.error("\(TerminalText.escaped(question)) [y/N] ")
        guard let answer = try StandardInput.line(), ["y", "yes"].contains(answer.lowercased()) else {
            throw CommandLineError(.usageNotConfirmed, "nothing was done")
        }
    }
}
