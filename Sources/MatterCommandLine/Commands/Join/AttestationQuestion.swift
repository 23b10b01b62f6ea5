import MatterController

/// Asks the user about a device whose authority is not known.
struct AttestationQuestion: Sendable {
    private let printer: ProgressPrinter
    private let terminal: Terminal

    /// - Returns: `nil` where no person can be asked: stdin or stderr is not a terminal, or the result is JSON.
    init?(printer: ProgressPrinter, console: Console) {
        guard console.canAsk else { return nil }
        self.printer = printer
        terminal = console.terminal
    }

    /// Shows the report, and returns whether the answer is yes.
    func ask(_ report: AttestationReport) async throws -> Bool {
        printer.finish()
        for line in report.lines { terminal.message(TerminalText.escaped(line)) }
        terminal.error("accept this device, although its authority is not known? [y/N] ")
        let answer = try await Terminal.$current.withValue(terminal) { try await StandardInput.awaitedLine() }
        return ["y", "yes"].contains(answer?.lowercased())
    }
}
