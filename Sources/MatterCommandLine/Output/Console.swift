import Glibc
import JSON
import MatterDataModel
import Synchronization

/// Where results and messages go: results on stdout and nothing else there, everything else on stderr.
struct Console: Sendable {
    /// Whether results and errors are JSON.
    var isJSON: Bool
    /// Whether stdout is a terminal.
    var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Why a part of the result could not be written; 0 while all of it could be.
    private static let failure = Atomic<Int32>(0)

    /// One line of a result.
    func result(_ line: String) {
        let number = Self.write(line + "\n", to: STDOUT_FILENO)
        if number == EPIPE { Self.endAsUnheard() }
        if number != 0 { Self.failure.store(number, ordering: .relaxed) }
    }

    /// Whoever read the result has had enough: ends as a program does whose output goes nowhere.
    private static func endAsUnheard() -> Never {
        signal(SIGPIPE, SIG_DFL)
        kill(getpid(), SIGPIPE)
        // For the case that this thread does not take the signal.
        _exit(128 + SIGPIPE)
    }

    /// - Throws: ``UsageError`` if a part of the result did not get out: nobody must take the rest for all of it.
    static func checkResult() throws(UsageError) {
        let number = failure.load(ordering: .relaxed)
        guard number != 0 else { return }
        var error = UsageError(
            "output.failed", "the result could not be written to stdout: \(String(cString: strerror(number)))",
            hint: "what was asked for has been done; only the result is lost")
        error.status = .localState
        throw error
    }

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

    /// Keys with their values as tab-separated lines; on a terminal in two columns, long lists over several lines.
    func pairs(_ pairs: [(key: String, values: [String])]) {
        guard isTerminal else {
            for pair in pairs { result("\(pair.key)\t\(pair.values.joined(separator: ", "))") }
            return
        }
        let column = (pairs.map(\.key.count).max() ?? 0) + 2
        let width = max(Self.narrowest, Self.terminalWidth - column)
        for pair in pairs {
            for (index, line) in ValueLayout.wrapped(pair.values, width: width).enumerated() {
                let key = index == 0 ? pair.key : ""
                result(key + String(repeating: " ", count: column - key.count) + line)
            }
        }
    }

    private static let narrowest = 20

    /// The columns of the terminal; 80 where it does not say.
    private static var terminalWidth: Int {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Asks a yes-or-no question on the terminal; without one, `--yes` is needed.
    func confirm(_ question: String, given yes: Bool) throws {
        if yes { return }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw UsageError(
                "usage.confirmation-needed", "\(question) — not done without a confirmation", hint: "add --yes")
        }
        Self.write("\(question) [y/N] ", to: STDERR_FILENO)
        guard let answer = try StandardInput.line(), ["y", "yes"].contains(answer.lowercased()) else {
            throw UsageError("usage.not-confirmed", "nothing was done", hint: nil)
        }
    }

    /// - Returns: `errno` if not everything could be written, otherwise 0.
    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { return errno }
                continue
            }
            rest = rest.dropFirst(written)
        }
        return 0
    }
}
