import MatterController
import Synchronization

/// The nodes of `share`: a result for each when it is there, and on a terminal a list of those that are under way.
struct ShareRound: Sendable {
    let command: Share
    let context: CommandContext
    let nodes: [NodeRecord]
    let isOne: Bool

    private static let serverColumns = [("NODE", 5), ("NAME", 20), ("RESULT", 8), ("SERVER NODE", 0)]
    private static let codeColumns = [
        ("NODE", 5), ("NAME", 16), ("RESULT", 6), ("MANUAL CODE", 13), ("UNTIL", 20), ("QR CODE", 0),
    ]

    private struct Outcomes {
        var opened: [UInt64: OpenedWindow] = [:]
        var failures: [UInt64: any Error] = [:]
        var done = 0
        var open = 0
    }

    /// - Throws: the error of the only node that was named; `share.incomplete` with the exit code of the first failure, after
    ///   the rest was printed.
    func run(_ plan: SharePlan) async throws {
        let (context, nodes) = (context, nodes)
        let console = context.console
        let board = ShareBoard(nodes, console)
        let isForServer = if case .server = plan.receiver { true } else { false }
        let isAlone = isOne && command.sheet == nil && !isForServer
        let flow = ColumnFlow(console, isForServer ? Self.serverColumns : Self.codeColumns)
        if nodes.isEmpty, console.isTerminal, !console.isJSON { console.message("none") }
        let outcomes = Mutex(Outcomes())
        if !isAlone { context.waits?.keep { board.lines } }
        defer { context.waits?.keep(nil) }
        var interruption: CommandLineError?
        do {
            try await context.controller.sharing.share(nodes, plan) { node, step in
                board.note(step, of: node)
                outcomes.withLock { note(step, of: node, isForServer: isForServer, &$0) }
                if !isAlone { tell(step, of: node, flow, isForServer: isForServer) }
            }
        } catch is CancellationError {
            let outcomes = outcomes.withLock { $0 }
            let left = outcomes.open > 0 ? "; windows that are open stay so until they run out: \(outcomes.open)" : ""
            interruption = CommandLineError(
                .interrupted, "interrupted; \(outcomes.done) of \(nodes.count) nodes had their turn\(left)")
        }
        context.waits?.keep(nil)
        let result = outcomes.withLock { $0 }
        if let path = command.sheet, !result.opened.isEmpty {
            try write(result.opened, result.failures, to: path)
        }
        if let interruption { throw interruption }
        guard !isOne else {
            if let failure = result.failures.values.first { throw failure }
            if isAlone, let node = nodes.first, let window = result.opened[node.nodeID.rawValue] {
                try Self.show(window, of: node, console)
            }
            return
        }
        guard let failure = nodes.lazy.compactMap({ result.failures[$0.nodeID.rawValue] }).first else { return }
        throw CommandLineError(
            .shareIncomplete, "\(result.failures.count) of \(nodes.count) nodes were not shared",
            kind: FailureKind(failure))
    }

    private func note(_ step: ShareStep, of node: NodeRecord, isForServer: Bool, _ outcomes: inout Outcomes) {
        switch step {
        case .begun: break
        case .open(let window):
            guard !isForServer else { return }
            outcomes.opened[node.nodeID.rawValue] = window
            outcomes.open += 1
            outcomes.done += 1
        case .used, .ranOut: outcomes.open -= 1
        case .shared, .present: outcomes.done += 1
        case .failed(let error): outcomes.failures[node.nodeID.rawValue] = error
        }
    }

    private func tell(_ step: ShareStep, of node: NodeRecord, _ flow: ColumnFlow, isForServer: Bool) {
        let target = NodeTarget(node)
        switch step {
        case .begun: break
        case .open(let window):
            if !isForServer { show(window, of: node, flow) }
        case .used(let isJoined):
            remark("\(target.text) " + (isJoined ? "is on another fabric now, too" : "has its window closed"))
        case .ranOut: remark("the code of \(target.text) has run out")
        case .shared(let other):
            row(node, "shared", "\(other.node)", flow) {
                Field("serverNode", JSONValue.id(other.node))
                Field("fabricIndex", other.fabricIndex)
            }
        case .present: row(node, "present", "-", flow) {}
        case .failed(let error):
            // The only node that was named has its error at the end.
            guard !isOne else { return }
            let report = ErrorReport(error, target: target)
            if !context.console.isJSON { context.console.warning(report.message) }
            row(node, "failed", "-", flow, isForServer ? [] : ["-", "-"]) { Field("error", report.body) }
        }
    }

    private func remark(_ text: String) {
        if !context.console.isJSON { context.console.message(TerminalText.escaped(text)) }
    }

    /// The only node that was named: its code is drawn for a person.
    static func show(_ window: OpenedWindow, of node: NodeRecord, _ console: Console) throws {
        guard console.isJSON else { return try console.show(window, of: node) }
        console.result(report(node, "open", try Report(window)))
    }

    private static func report(_ node: NodeRecord, _ result: String, _ more: Report) -> Report {
        Report {
            Field("node", node.nodeID)
            Field("name", node.name)
            Field("room", node.room)
            Field("result", result)
            more
        }
    }

    private func show(_ window: OpenedWindow, of node: NodeRecord, _ flow: ColumnFlow) {
        guard let code = try? window.payload?.qrCode(), let manual = try? window.payload?.formattedManualCode(),
            let report = try? Report(window)
        else { return }
        row(node, "open", manual, flow, [DateText.time(window.end), code]) { report }
    }

    private func row(
        _ node: NodeRecord, _ result: String, _ cell: String, _ flow: ColumnFlow, _ more: [String] = [],
        @Report.Builder _ fields: () -> [Field]
    ) {
        guard context.console.isJSON else {
            let name = node.name.map(TerminalText.escaped) ?? "-"
            return flow.print(["\(node.nodeID.rawValue)", name, result, cell] + more)
        }
        context.console.result(Self.report(node, result, Report(fields)))
    }

    private func write(_ opened: [UInt64: OpenedWindow], _ failures: [UInt64: any Error], to path: String) throws {
        let entries = nodes.compactMap { node in
            opened[node.nodeID.rawValue].map { ShareSheet.Entry(node: node, window: $0) }
        }
        let missing = nodes.compactMap { node in
            failures[node.nodeID.rawValue].map { error in
                let target = NodeTarget(node)
                return (target.text, ErrorReport(error, target: target).message)
            }
        }
        let sheet = ShareSheet(entries: entries, missing: missing, made: context.controller.options.unixTime())
        let form = try ShareSheet.Form(of: path)
        try OutputFile.replace(Array(try sheet.text(form).utf8), at: path)
        guard form == .html, let code = try entries.first?.window.payload?.qrCode(), QRDrawing.svg(code) == nil else {
            return
        }
        context.console.warning(
            "the page has no QR codes, as libqrencode is missing", "install it: apt install libqrencode4")
    }
}
