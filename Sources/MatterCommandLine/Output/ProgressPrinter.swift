import JSON
import MatterCommissioning
import MatterDataModel
import MatterSession
import Synchronization

/// Shows the stages of a commissioning on stderr.
final class ProgressPrinter: Sendable {
    private enum Style { case live, plain, json, none }

    private let style: Style
    private let terminal = Terminal.current
    private let lineIsOpen = Mutex(false)

    init(_ wanted: ProgressStyle, isJSON: Bool) {
        style =
            switch wanted {
            case .none: .none
            case .json: .json
            case .plain: .plain
            case .auto where isJSON: .none
            case .auto: terminal.isTerminal(.error) ? .live : .plain
            }
    }

    func report(_ progress: CommissioningProgress) {
        switch style {
        case .none: break
        case .json: terminal.message(Self.json(progress).serialized())
        case .plain: plain(progress)
        case .live: live(progress)
        }
    }

    /// Ends whatever line is open.
    func finish() {
        let isOpen = lineIsOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if isOpen { terminal.message("") }
    }

    private func plain(_ progress: CommissioningProgress) {
        switch progress {
        case .began: break
        case .ended(let stage, let duration): terminal.message("\(stage.rawValue): done in \(Self.text(duration))")
        case .failed(let stage, let duration):
            terminal.message("\(stage.rawValue): failed after \(Self.text(duration))")
        case .note, .warning: terminal.message("note: \(TerminalText.escaped(Self.note(progress)))")
        }
    }

    private func live(_ progress: CommissioningProgress) {
        switch progress {
        case .began(let stage):
            lineIsOpen.withLock { $0 = true }
            terminal.error("… \(stage.rawValue)")
        case .ended(let stage, let duration):
            lineIsOpen.withLock { $0 = false }
            terminal.error("\r✓ \(stage.rawValue)  \(Self.text(duration))\n")
        case .failed(let stage, let duration):
            lineIsOpen.withLock { $0 = false }
            terminal.error("\r✗ \(stage.rawValue)  \(Self.text(duration))\n")
        case .note, .warning:
            finish()
            terminal.message("  \(TerminalText.escaped(Self.note(progress)))")
        }
    }

    private static func json(_ progress: CommissioningProgress) -> JSONValue {
        func event(_ stage: CommissioningStage, _ state: String, _ duration: Duration?) -> JSONValue {
            var body: JSONObject = ["stage": .string(stage.rawValue), "state": .string(state)]
            body["ms"] = duration.map { JSONValue.milliseconds($0) }
            return .object(["progress": .object(body)])
        }
        return switch progress {
        case .began(let stage): event(stage, "started", nil)
        case .ended(let stage, let duration): event(stage, "done", duration)
        case .failed(let stage, let duration): event(stage, "failed", duration)
        case .note, .warning: .object(["progress": .object(["note": .string(note(progress))])])
        }
    }

    private static func note(_ progress: CommissioningProgress) -> String {
        switch progress {
        case .note(let text): text
        case .warning(let text, let hint): "warning: \(text)" + (hint.map { "; \(Hints.text($0))" } ?? "")
        default: ""
        }
    }

    private static func text(_ duration: Duration) -> String {
        duration < .seconds(1) ? "\(Int((duration / .milliseconds(1)).rounded())) ms" : Spelled.seconds(duration)
    }
}
