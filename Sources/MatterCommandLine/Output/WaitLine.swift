import MatterController
import Synchronization

/// Tells a person on the terminal whom the command waits for, once that takes longer than a second: a line on stderr that is kept
/// up to date and goes with the wait.
final class WaitLine: NodeWaits {
    private struct Wait {
        var node: NodeRecord
        var addresses: [PeerAddress]
        var began: Instant
        var deadline: Instant
        /// How often it is waited for at once.
        var count = 1
    }

    private struct State {
        var waits: [Wait] = []
        var clock: Task<Void, Never>?
        /// Lines above, of what there is already.
        var preview: (@Sendable () -> [String])?
        /// Whether they are shown also while no node is late.
        var isList = false
    }

    private static let pace = Duration.seconds(1)
    /// The names of so many nodes are shown.
    private static let named = 2

    private let terminal: Terminal
    private let state = Mutex(State())

    /// - Returns: `nil` unless a person watches.
    init?(_ wanted: ProgressStyle, isJSON: Bool, on terminal: Terminal) {
        guard ProgressPrinter.Style(wanted, isJSON: isJSON, on: terminal) == .live else { return nil }
        self.terminal = terminal
    }

    func began(_ node: NodeRecord, at addresses: [PeerAddress], until deadline: Instant) {
        state.withLock { state in
            if let place = state.waits.firstIndex(where: { $0.node.nodeID == node.nodeID }) {
                state.waits[place].count += 1
                return
            }
            state.waits.append(Wait(node: node, addresses: addresses, began: .now, deadline: deadline))
            if state.clock == nil { state.clock = Task { [weak self] in await self?.run() } }
        }
    }

    func ended(_ node: NodeRecord) {
        state.withLock { state in
            guard let place = state.waits.firstIndex(where: { $0.node.nodeID == node.nodeID }) else { return }
            state.waits[place].count -= 1
            guard state.waits[place].count == 0 else { return }
            state.waits.remove(at: place)
            if state.waits.isEmpty, !state.isList { stop(&state) }
        }
    }

    private func stop(_ state: inout State) {
        state.clock?.cancel()
        state.clock = nil
        terminal.pass([])
    }

    /// Shows lines above the line from now on; no more with `nil`.
    func show(above preview: (@Sendable () -> [String])?) { state.withLock { $0.preview = preview } }

    /// Shows a list from now on, whether or not a node is waited for; no more with `nil`.
    func keep(_ list: (@Sendable () -> [String])?) {
        state.withLock { state in
            (state.preview, state.isList) = (list, list != nil)
            if list == nil {
                stop(&state)
            } else if state.clock == nil {
                state.clock = Task { [weak self] in await self?.run() }
            }
        }
    }

    private func run() async {
        while true {
            do { try await Task.sleep(for: Self.pace) } catch { return }
            state.withLock { state in
                let now = Instant.now
                let late = state.waits.filter { now - $0.began >= Self.pace }
                // A wait that has ended meanwhile takes its line away under the same lock.
                guard !late.isEmpty || state.isList, !Task.isCancelled else { return }
                let above = state.preview?() ?? []
                terminal.pass(
                    above.prefix(max(terminal.height - 2, 0)) + (late.isEmpty ? [] : [Self.text(late, now)]))
            }
        }
    }

    private static func text(_ waits: [Wait], _ now: Instant) -> String {
        let names = waits.prefix(named).map { TerminalText.escaped($0.node.label) }
        let more = waits.count - names.count
        var text = "waiting for " + names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        let began = waits.map(\.began).min() ?? now
        let end = waits.map(\.deadline).max() ?? now
        let limit = Int(((end - began) / .seconds(1)).rounded())
        // The work of a late machine after the deadline is still part of the wait.
        let passed = min(Int((now - began).components.seconds), limit)
        var facts = ["\(passed) s of \(limit) s"]
        if waits.count == 1, let address = waits.first?.addresses.first { facts.insert("\(address)", at: 0) }
        text += " (\(facts.joined(separator: ", "))) … Ctrl-C stops"
        return text
    }
}
