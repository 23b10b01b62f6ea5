import MatterController

/// Takes what nodes report.
protocol FollowLog {
    /// The lines or values that may still come; `nil` for any number.
    var remaining: Int? { get }
    /// - Returns: the attributes that were told.
    mutating func take(_ event: SubscriptionEvent, of node: NodeRecord) -> [AttributeReport]
    /// A node that cannot be followed any more, beside others that can.
    func ended(_ node: NodeRecord, _ error: any Error)
}

/// Prints what nodes report, one line for each change.
struct WatchLog: FollowLog {
    /// How it is printed.
    struct Style {
        /// Whether there are several nodes, so that each line names its own.
        var namesNodes = false
        /// Whether a value stands alone.
        var isBare = false
        /// Whether each line begins with its time.
        var hasTime = false
        /// Whether of the values at the beginning only those are printed that tell the state of a device.
        var isQuiet = false
        /// Whether the events that the device kept before the start are printed, too.
        var hasPast = false
    }

    private let console: Console
    private let catalogue: Catalogue
    private let printer: ValuePrinter
    private let style: Style
    /// Which events are printed.
    private let wants: @Sendable (EventReport.Event) -> Bool
    /// Digests of the last values, to tell what has changed while a subscription was lost.
    private var known: [NodeID: [ConcreteAttributePath: Int]] = [:]
    /// The nodes whose subscription is lost.
    private var lost: Set<NodeID> = []
    /// `nil` for a value alone, which needs no heading.
    private let flow: ColumnFlow?
    /// How many lines may still be printed; `nil` for any number.
    private(set) var remaining: Int?

    init(
        _ console: Console, _ catalogue: Catalogue, numeric: Bool, _ style: Style, lines: Int? = nil,
        wants: @escaping @Sendable (EventReport.Event) -> Bool = { _ in true }
    ) {
        self.console = console
        self.catalogue = catalogue
        printer = console.printer(numeric: numeric, in: catalogue)
        self.style = style
        self.wants = wants
        remaining = lines
        let columns =
            (style.hasTime ? [("TIME", Self.text(0).count)] : []) + (style.namesNodes ? [("NODE", 12)] : [])
            + (style.isBare ? [] : [("PATH", 32)]) + [("VALUE", 0)]
        flow = columns.count > 1 ? ColumnFlow(console, columns.map { (heading: $0.0, expected: $0.1) }) : nil
    }

    /// - Returns: the attributes that were told.
    mutating func take(_ event: SubscriptionEvent, of node: NodeRecord) -> [AttributeReport] {
        switch event {
        case .established(let id, let maxInterval, let result):
            let isFirst = known[node.nodeID] == nil
            state(node, "established") {
                Field("subscriptionId", id)
                Field("maxIntervalSeconds", maxInterval.components.seconds)
            }
            if lost.remove(node.nodeID) != nil, !isFirst { note(node, "reports again") }
            let news = result.attributes.filter { isNews($0, of: node.nodeID) }
            for report in news where !isFirst || !style.isQuiet || DeviceStatus.tells(report.path) {
                attribute(report, of: node)
            }
            // Events that the device kept from before the start are its log, and no news.
            if !isFirst || style.hasPast { events(result.events, of: node) }
            if isFirst, known[node.nodeID] == nil { known[node.nodeID] = [:] }
            return news
        case .report(let result):
            for report in result.attributes {
                _ = isNews(report, of: node.nodeID)
                attribute(report, of: node)
            }
            events(result.events, of: node)
            return result.attributes
        case .lost(let error, let delay):
            state(node, "lost") {
                Field("reason", "\(error)")
                Field("retryMs", JSONValue.milliseconds(delay))
            }
            if lost.insert(node.nodeID).inserted {
                note(node, "no reports any more (\(error)); trying again, and changes meanwhile are told together")
            }
            return []
        }
    }

    /// Prints events in the order of the reports.
    mutating func events(_ reports: [EventReport], of node: NodeRecord) {
        for report in reports where report.event.map(wants) ?? true { event(report, of: node) }
    }

    /// A node that cannot be followed any more, beside others that can.
    func ended(_ node: NodeRecord, _ error: any Error) {
        state(node, "ended") { Field("reason", "\(error)") }
        note(node, "followed no longer: \(error)")
    }

    private mutating func isNews(_ report: AttributeReport, of node: NodeID) -> Bool {
        guard let value = report.value else { return known[node]?[report.path] == nil }
        return known[node, default: [:]].updateValue(value.hashValue, forKey: report.path) != value.hashValue
    }

    // MARK: Lines

    /// Whether there may be another line.
    private mutating func takesLine() -> Bool {
        guard let remaining else { return true }
        self.remaining = max(0, remaining - 1)
        return remaining > 0
    }

    private mutating func attribute(_ report: AttributeReport, of node: NodeRecord) {
        let said: String
        switch report.outcome {
        case .value(let value):
            said = printer.text(
                value, as: catalogue.type(of: report.path), cluster: report.path.cluster,
                attribute: report.path.attribute)
        case .failure(let status):
            guard console.isJSON else { return note(node, "\(report.path.text(in: catalogue)): \(status)") }
            said = ""
        case .unreadable(let reason):
            guard console.isJSON else { return note(node, "\(report.path.text(in: catalogue)): \(reason)") }
            said = ""
        }
        guard takesLine() else { return }
        line(WallClock.unixMilliseconds(), node, style.isBare ? nil : report.path.text(in: catalogue), said) {
            Report(report, of: NodeMark(node), in: catalogue, printer)
        }
    }

    private mutating func event(_ report: EventReport, of node: NodeRecord) {
        let place = report.path.text(in: catalogue)
        var time: UInt64?
        switch report.outcome {
        case .failure(let status):
            guard console.isJSON else { return note(node, "\(place): \(status)") }
        case .event(let event): time = event.times.epoch
        }
        guard takesLine() else { return }
        line(
            time ?? WallClock.unixMilliseconds(), node, place, TerminalText.text(report.fields(in: catalogue, printer))
        ) {
            Report(report, of: NodeMark(node), in: catalogue, printer)
        }
    }

    /// - Parameter time: what the line of text says; an object has the time of now, with the device's own beside it.
    private func line(
        _ time: UInt64, _ node: NodeRecord, _ place: String?, _ said: String, @Report.Builder _ fields: () -> [Field]
    ) {
        if console.isJSON { return object(node, fields) }
        var parts = style.hasTime ? [Self.text(time)] : []
        if style.namesNodes { parts.append(TerminalText.escaped(node.name ?? node.nodeID.description)) }
        let row = parts + [place, said].compactMap { $0 }
        if let flow { flow.print(row) } else { console.result(row.joined(separator: "\t")) }
    }

    private func object(_ node: NodeRecord, @Report.Builder _ fields: () -> [Field]) {
        let report = Report {
            Field("time", Self.text(WallClock.unixMilliseconds()))
            Field("node", node.nodeID)
            Field("name", node.name)
            Report(fields)
        }
        console.result(report.json)
    }

    private func state(_ node: NodeRecord, _ state: String, @Report.Builder _ fields: () -> [Field]) {
        guard console.isJSON else { return }
        object(node) {
            Field("subscription", state)
            Report(fields)
        }
    }

    /// One line beside the result; with JSON, the result says it.
    private func note(_ node: NodeRecord, _ text: String) {
        guard !console.isJSON else { return }
        let name = node.name.map { "'\($0)'" } ?? node.nodeID.description
        console.message(TerminalText.escaped("node \(name): \(text)"))
    }

    private static func text(_ time: UInt64) -> String { PointInTime.text(time, as: .posixMilliseconds) ?? "-" }
}

extension EventReport.Event {
    /// Milliseconds since 1970, or since the device started; neither for a time that cannot be made absolute.
    var times: (epoch: UInt64?, uptime: UInt64?) {
        switch timestamp {
        case .epoch(let time): (time, nil)
        case .system(let time): (nil, time)
        case .deltaEpoch, .deltaSystem: (nil, nil)
        }
    }
}
