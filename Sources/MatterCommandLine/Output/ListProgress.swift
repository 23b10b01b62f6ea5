import MatterController
import Synchronization

/// Shows on stderr how far a list of devices has come: one line that changes on a terminal, and nothing but notes in a log. Programs
/// get every stage of every device.
final class ListProgress: Sendable {
    private struct State {
        var done = 0
        var failed = 0
        /// The status that stands on the terminal.
        var shown = ""
    }

    private let style: ProgressPrinter.Style
    private let terminal = Terminal.current
    private let count: Int
    private let state = Mutex(State())

    /// - Parameter count: how many devices the list has.
    init(_ wanted: ProgressStyle, count: Int, isJSON: Bool) {
        style = ProgressPrinter.Style(wanted, isJSON: isJSON, on: terminal)
        self.count = count
        state.withLock { show(&$0) }
    }

    /// - Parameter line: of the list.
    func report(_ progress: CommissioningProgress, of line: Int) {
        switch (style, progress) {
        case (.json, _): terminal.message(ProgressPrinter.json(progress, line: line).serialized())
        case (.live, .note), (.live, .warning), (.plain, .note), (.plain, .warning):
            let note = "note: line \(line): \(ProgressPrinter.note(progress))"
            beside { terminal.message(TerminalText.escaped(note)) }
        default: break
        }
    }

    /// Takes note of a device that has had its turn.
    ///
    /// - Parameter print: prints what came of it; nothing else is printed meanwhile.
    func end(isFailure: Bool, _ print: () -> Void) {
        state.withLock { state in
            clear(&state)
            print()
            if isFailure { state.failed += 1 } else { state.done += 1 }
            show(&state)
        }
    }

    /// Prints something while the status is away.
    func beside(_ print: () -> Void) {
        state.withLock { state in
            clear(&state)
            print()
            show(&state)
        }
    }

    func finish() { state.withLock { clear(&$0) } }

    private func clear(_ state: inout State) {
        guard !state.shown.isEmpty else { return }
        terminal.error("\r" + String(repeating: " ", count: state.shown.count) + "\r")
        state.shown = ""
    }

    private func show(_ state: inout State) {
        guard style == .live, state.done + state.failed < count else { return }
        state.shown = "… \(state.done) of \(count) commissioned" + (state.failed > 0 ? ", \(state.failed) failed" : "")
        terminal.error(state.shown)
    }
}
