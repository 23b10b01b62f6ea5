import Glibc
import MatterTLV

/// Where results and messages go: results on stdout and nothing else there, everything else on stderr.
struct Console: Sendable {
    /// Whether results and errors are JSON.
    var isJSON: Bool
    /// Whether stdout is a terminal.
    var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// One line of a result.
    func result(_ line: String) { Self.write(line + "\n", to: STDOUT_FILENO) }

    func result(_ json: JSONValue) { result(json.serialized()) }

    /// One line beside the result; with JSON it keeps to the form of everything else on stderr.
    func message(_ line: String) {
        Self.message(isJSON ? JSONValue.object(["progress": .object(["note": .string(line)])]).serialized() : line)
    }

    static func message(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    /// Rows as tab-separated lines, or as a table on a terminal.
    func rows(_ header: [String], _ rows: [[String]]) {
        guard isTerminal else {
            for row in rows { result(row.joined(separator: "\t")) }
            return
        }
        guard !rows.isEmpty else { return }
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        for row in all {
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: max(0, width - cell.count))
            }
            let line = cells.joined(separator: "  ")
            result(String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]))
        }
    }

    /// Asks a yes-or-no question on the terminal; without one, `--yes` is needed.
    func confirm(_ question: String, given yes: Bool) throws {
        if yes { return }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw UsageError(
                "usage.confirmation-needed", "\(question) — not done without a confirmation", hint: "add --yes")
        }
        Self.write("\(question) [y/N] ", to: STDERR_FILENO)
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            throw UsageError("usage.not-confirmed", "nothing was done", hint: nil)
        }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { return }
                continue
            }
            rest = rest.dropFirst(written)
        }
    }
}
