import MatterController
import Synchronization

/// A chart on the terminal that is drawn in place as values come, and fits the window when that changes. Its last picture stays
/// when it ends.
final class ChartScreen: ValueSink {
    private struct Key: Hashable {
        let node: NodeID
        let path: ConcreteAttributePath
    }

    private struct State {
        var series: [ChartSeries] = []
        var places: [Key: Int] = [:]
        var note = ""
        var clock: Task<Void, Never>?
        /// When the first node told something, in seconds since 1970.
        var start: Double?
        var isNew = false
        /// The size, and the second, of the last picture.
        var drawn: (width: Int, height: Int, second: Int64)?
    }

    /// A window that changes is followed at this pace, too.
    private static let pace = Duration.milliseconds(200)

    private let terminal: Terminal
    private let namesNodes: Bool
    private let catalogue: Catalogue
    private let state = Mutex(State())

    /// - Parameter namesNodes: whether there are several, so that each series names its own.
    init(_ console: Console, _ catalogue: Catalogue, namesNodes: Bool) {
        terminal = console.terminal
        self.catalogue = catalogue
        self.namesNodes = namesNodes
    }

    /// - Throws: an error of usage where no picture can be drawn.
    static func check(_ terminal: Terminal) throws {
        guard terminal.isTerminal(.output) else {
            throw CommandLineError(
                .usageNoTerminal, "--plot draws on a terminal, and the result goes elsewhere", hint: .step("plot.csv"))
        }
        guard !terminal.isDumb else {
            throw CommandLineError(
                .usageNoTerminal, "--plot cannot draw on this terminal (TERM=dumb)", hint: .step("plot.csv"))
        }
    }

    func begin() {
        state.withLock { state in
            guard state.clock == nil else { return }
            state.start = Self.seconds(WallClock.unixMilliseconds())
            state.clock = Task { [weak self] in await self?.run() }
        }
    }

    func take(_ value: FollowedValue, of node: NodeRecord, at time: UInt64) {
        state.withLock { state in
            let key = Key(node: node.nodeID, path: value.path)
            let place = state.places[key] ?? state.series.count
            if place == state.series.count {
                state.places[key] = place
                state.series.append(ChartSeries(label(value, node), unit: value.unit))
            }
            state.series[place].add(value.number, value.text ?? "", at: Self.seconds(time))
            state.isNew = true
        }
    }

    func lose(_ node: NodeRecord, _ reason: String, at time: UInt64) {
        change(node, "\(name(node)) is away: \(reason)", at: time) { $0.lose(at: Self.seconds(time)) }
    }

    func resume(_ node: NodeRecord, at time: UInt64) {
        change(node, "\(name(node)) reports again", at: time) { $0.resume(at: Self.seconds(time)) }
    }

    func end(_ node: NodeRecord, _ reason: String, at time: UInt64) {
        change(node, "\(name(node)) is followed no longer: \(reason)", at: time) { $0.lose(at: Self.seconds(time)) }
    }

    func note(_ node: NodeRecord, _ text: String) {
        state.withLock { $0.note = TerminalText.escaped("\(name(node)): \(text)") }
    }

    func close() {
        let state = state.withLock { state in
            state.clock?.cancel()
            state.clock = nil
            return state
        }
        terminal.endDrawing()
        guard !state.series.isEmpty else { return }
        for line in picture(state, note: nil, height: terminal.height(of: .output) - 1) { terminal.result(line) }
    }

    private func change(
        _ node: NodeRecord, _ note: String, at time: UInt64, _ work: (inout ChartSeries) -> Void
    ) {
        let clock = (PointInTime.text(time, as: .posixMilliseconds) ?? "").dropFirst(11).prefix(8)
        state.withLock { state in
            for (key, place) in state.places where key.node == node.nodeID { work(&state.series[place]) }
            state.note = TerminalText.escaped("\(clock) \(note)")
            state.isNew = true
        }
    }

    // MARK: Drawing

    private func run() async {
        while !Task.isCancelled {
            state.withLock { draw(&$0) }
            do { try await Task.sleep(for: Self.pace) } catch { return }
        }
    }

    /// Draws if there is something new: a value, the time, the size.
    private func draw(_ state: inout State) {
        // The end gives the terminal back under the same lock.
        guard state.clock != nil else { return }
        let (width, height) = (terminal.width, terminal.height(of: .output))
        let second = Int64(WallClock.unixMilliseconds() / 1000)
        if let drawn = state.drawn, !state.isNew, drawn == (width, height, second) { return }
        state.drawn = (width, height, second)
        state.isNew = false
        let stop = "Ctrl-C stops"
        let note = state.note.isEmpty ? stop : "\(stop); \(state.note)"
        terminal.draw(picture(state, note: note, height: height))
    }

    private func picture(_ state: State, note: String?, height: Int) -> [String] {
        let now = Self.seconds(WallClock.unixMilliseconds())
        return Chart(
            series: state.series, start: state.start ?? now, now: now, width: terminal.width, height: height,
            isPlain: terminal.drawsPlain(.output), hasColors: terminal.hasColors(.output), note: note
        ).lines
    }

    private func name(_ node: NodeRecord) -> String { node.label }

    private func label(_ value: FollowedValue, _ node: NodeRecord) -> String {
        let place = value.name.map { "\(value.path.endpoint) \($0)" } ?? value.path.text(in: catalogue)
        return TerminalText.escaped((namesNodes ? [name(node), place] : [place]).joined(separator: " "))
    }

    private static func seconds(_ milliseconds: UInt64) -> Double { Double(milliseconds) / 1000 }
}
