import MatterBase

/// How much one report may bring before it is refused as hostile.
package struct ReportLimits: Sendable {
    /// Octets of all its messages.
    package var octets: Int
    /// TLV elements of all its values, and reports.
    package var elements: Int
    /// Messages.
    package var messages: Int

    package init(octets: Int = 16 << 20, elements: Int = 1 << 20, messages: Int = 16_384) {
        self.octets = octets
        self.elements = elements
        self.messages = messages
    }

    package static let standard = ReportLimits()
}

/// Puts the messages of one report together: lists that came in pieces become whole, later values replace earlier ones.
struct ReportAccumulator: Sendable {
    private struct Entry {
        var path: ConcreteAttributePath
        var dataVersion: UInt32?
        var outcome: AttributeReport.Outcome
        /// The items while the value is a list; kept apart from `outcome` so that appending does not copy.
        var items: [TLVElement]?

        init(
            path: ConcreteAttributePath, dataVersion: UInt32? = nil, outcome: AttributeReport.Outcome,
            items: [TLVElement]? = nil
        ) {
            self.path = path
            self.dataVersion = dataVersion
            self.outcome = outcome
            self.items = items
        }
    }

    private var entries: [Entry] = []
    private var positions: [ConcreteAttributePath: Int] = [:]
    private var events: [EventReport] = []
    private var unattributed: [String] = []
    private let limits: ReportLimits
    private var octets = 0
    private var elements = 0
    private var messages = 0

    init(limits: ReportLimits) { self.limits = limits }

    /// Adds one message.
    ///
    /// - Parameter size: the bytes of its payload.
    mutating func add(_ report: ReportData, size: Int) throws(InteractionError) {
        messages += 1
        octets += size
        guard messages <= limits.messages, octets <= limits.octets else { throw Self.tooMuch }
        for attribute in report.attributes { try add(attribute) }
        try count(report.unattributed.count)
        if unattributed.isEmpty { unattributed = report.unattributed }
        var clock = EventClock()
        for event in report.events { try add(event, clock: &clock) }
    }

    var result: ReadResult {
        ReadResult(
            attributes: entries.map { entry in
                AttributeReport(
                    path: entry.path, dataVersion: entry.dataVersion,
                    outcome: entry.items.map { .value(.array($0)) } ?? entry.outcome)
            }, events: events, unattributed: unattributed)
    }

    private mutating func add(_ report: AttributeReportIB) throws(InteractionError) {
        guard let path = report.path.concrete else {
            // Some devices answer a wildcard that fits nothing with a status, where they should be silent.
            if case .data = report, unattributed.isEmpty {
                unattributed = ["a report about the wildcard path \(report.path)"]
            }
            return try count(1)
        }
        switch report {
        case .unreadable(_, let reason):
            try count(1)
            replace(Entry(path: path, outcome: .unreadable(reason)))
        case .status(let report):
            try count(1)
            replace(Entry(path: path, outcome: .failure(report.status)))
        case .data(let report):
            try count(report.data.elementCount)
            switch report.path.listIndex {
            case nil:
                let items: [TLVElement]? = if case .array(let items) = report.data { items } else { nil }
                // The items are held once: beside them the outcome is a placeholder.
                let outcome: AttributeReport.Outcome = .value(items == nil ? report.data : .null)
                replace(Entry(path: path, dataVersion: report.dataVersion, outcome: outcome, items: items))
            case .append:
                try append(report, to: path)
            case .item:
                replace(Entry(path: path, outcome: .unreadable("a report that changes a single item of a list")))
            }
        }
    }

    private mutating func append(_ report: AttributeDataIB, to path: ConcreteAttributePath) throws(InteractionError) {
        let item = TLVElement(.anonymous, report.data)
        guard let position = positions[path] else {
            // Some nodes leave out the empty list that items are appended to.
            replace(Entry(path: path, dataVersion: report.dataVersion, outcome: .value(.null), items: [item]))
            return
        }
        guard entries[position].items?.append(item) != nil else {
            if case .unreadable = entries[position].outcome { return }
            return replace(Entry(path: path, outcome: .unreadable("a report that appends to what is not a list")))
        }
        entries[position].dataVersion = report.dataVersion
    }

    private mutating func replace(_ entry: Entry) {
        if let position = positions[entry.path] {
            entries[position] = entry
        } else {
            positions[entry.path] = entries.count
            entries.append(entry)
        }
    }

    private mutating func add(_ report: EventReportIB, clock: inout EventClock) throws(InteractionError) {
        switch report {
        case .status(let report):
            try count(1)
            events.append(EventReport(path: try concrete(report.path), outcome: .failure(report.status)))
        case .data(let data):
            try count(data.data?.elementCount ?? 1)
            guard let timestamp = clock.absolute(data.timestamp) else {
                throw .violation("an event time beyond 64 bits", .reportData)
            }
            let event = EventReport.Event(
                number: data.number, priority: data.priority, timestamp: timestamp, data: data.data)
            events.append(EventReport(path: try concrete(data.path), outcome: .event(event)))
        }
    }

    private func concrete(_ path: EventPath) throws(InteractionError) -> ConcreteEventPath {
        guard let path = path.concrete else {
            throw .violation("a report about the wildcard event path \(path)", .reportData)
        }
        return path
    }

    private mutating func count(_ more: Int) throws(InteractionError) {
        elements += more
        guard elements <= limits.elements else { throw Self.tooMuch }
    }

    private static let tooMuch = InteractionError(
        .limitExceeded, "the peer reports more than one interaction may bring",
        opcode: InteractionModelOpcode.reportData.rawValue)
}
