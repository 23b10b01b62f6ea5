import MatterController
import Synchronization

/// Shows the stages of a commissioning on stderr.
final class ProgressPrinter: Sendable {
    enum Style {
        case live, plain, json, none

        init(_ wanted: ProgressStyle, isJSON: Bool, on terminal: Terminal) {
            self =
                switch wanted {
                case .none: .none
                case .json: .json
                case .plain: .plain
                case .auto where isJSON: .none
                case .auto: terminal.isTerminal(.error) && !terminal.isDumb ? .live : .plain
                }
        }
    }

    private let style: Style
    private let terminal = Terminal.current
    private let lineIsOpen = Mutex(false)

    init(_ wanted: ProgressStyle, isJSON: Bool) {
        style = Style(wanted, isJSON: isJSON, on: terminal)
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

    /// A session in which a node has answered.
    static func json(_ node: NodeRecord, _ rung: SessionRung, _ time: Duration) -> JSONValue {
        .object([
            "progress": .object([
                "stage": "session", "state": "done", "ms": JSONValue.milliseconds(time),
                "node": .id(node.nodeID.rawValue),
                "session": .string(rung.rawValue),
            ])
        ])
    }

    /// - Parameter line: of the list that the device is in.
    static func json(_ progress: CommissioningProgress, line: Int? = nil) -> JSONValue {
        func object(_ members: (inout JSONObject) -> Void) -> JSONValue {
            var body = JSONObject()
            body["line"] = line.map { .int(Int64($0)) }
            members(&body)
            return .object(["progress": .object(body)])
        }
        func event(_ stage: CommissioningStage, _ state: String, _ duration: Duration?) -> JSONValue {
            object {
                $0["stage"] = .string(stage.rawValue)
                $0["state"] = .string(state)
                $0["ms"] = duration.map { JSONValue.milliseconds($0) }
            }
        }
        return switch progress {
        case .began(let stage): event(stage, "started", nil)
        case .ended(let stage, let duration): event(stage, "done", duration)
        case .failed(let stage, let duration): event(stage, "failed", duration)
        case .note, .warning: object { $0["note"] = .string(note(progress)) }
        }
    }

    static func note(_ progress: CommissioningProgress) -> String {
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
