import ArgumentParser
import MatterController

/// How values over time come out, where that is not one line of text for each.
enum ValueForm: Sendable {
    /// A chart on the terminal.
    case plot
    /// A table for programs.
    case csv

    /// - Throws: what the two options do not go with; `nil` if neither is given.
    static func chosen(plot: Bool, csv: Bool, isJSON: Bool) throws -> ValueForm? {
        guard plot || csv else { return nil }
        guard !(plot && csv) else { throw ValidationError("--plot and --csv exclude each other") }
        guard !isJSON else { throw ValidationError("\(plot ? "--plot" : "--csv") and --json exclude each other") }
        return plot ? .plot : .csv
    }

    /// - Throws: an error of usage where it is not possible.
    func check(_ console: Console) throws {
        if case .plot = self { try ChartScreen.check(console.terminal) }
    }

    func sink(_ console: Console, _ catalogue: Catalogue, namesNodes: Bool) -> any ValueSink {
        switch self {
        case .plot: ChartScreen(console, catalogue, namesNodes: namesNodes)
        case .csv: ValueTable(console, catalogue)
        }
    }
}

/// Where values over time go. Times are milliseconds since 1970.
protocol ValueSink: Sendable {
    /// The first node answers.
    func begin()
    func take(_ value: FollowedValue, of node: NodeRecord, at time: UInt64)
    /// The node does not report any more; it may later.
    func lose(_ node: NodeRecord, _ reason: String, at time: UInt64)
    /// The node reports again, and has told what has changed.
    func resume(_ node: NodeRecord, at time: UInt64)
    /// The node is followed no longer.
    func end(_ node: NodeRecord, _ reason: String, at time: UInt64)
    /// A value could not be told.
    func note(_ node: NodeRecord, _ text: String)
    func close()
}

/// Hands on what nodes report as values over time.
struct ValueLog: FollowLog {
    /// The values of a report that count, and their names.
    enum Source {
        /// Each attribute that was asked for.
        case attributes([AttributePath], Catalogue, numeric: Bool, isQuiet: Bool)
        /// The values of a kind of device.
        case devices(DeviceWatch)
    }

    private var source: Source
    private let sink: any ValueSink
    /// Digests of the last values, to tell what has changed while a subscription was lost.
    private var known: [NodeID: [ConcreteAttributePath: Int]] = [:]
    private var lost: Set<NodeID> = []
    private(set) var remaining: Int?

    init(_ source: Source, _ sink: any ValueSink, lines: Int?) {
        self.source = source
        self.sink = sink
        remaining = lines
    }

    mutating func take(_ event: SubscriptionEvent, of node: NodeRecord) -> [AttributeReport] {
        let time = WallClock.unixMilliseconds()
        switch event {
        case .established(_, _, let result):
            sink.begin()
            let isFirst = known[node.nodeID] == nil
            if isFirst { known[node.nodeID] = [:] }
            hand(result, of: node, isFirst: isFirst, isNews: false, at: time)
            if lost.remove(node.nodeID) != nil { sink.resume(node, at: time) }
            return result.attributes
        case .report(let result):
            hand(result, of: node, isFirst: false, isNews: true, at: time)
            return result.attributes
        case .lost(let error, _):
            if lost.insert(node.nodeID).inserted { sink.lose(node, "\(error)", at: time) }
            return []
        }
    }

    func ended(_ node: NodeRecord, _ error: any Error) {
        sink.end(node, "\(error)", at: WallClock.unixMilliseconds())
    }

    /// - Parameter isNews: whether a value counts that is the last one again.
    private mutating func hand(
        _ result: ReadResult, of node: NodeRecord, isFirst: Bool, isNews: Bool, at time: UInt64
    ) {
        for value in values(result, of: node, isFirst: isFirst) {
            let digest = value.text.hashValue
            let old = known[node.nodeID, default: [:]].updateValue(digest, forKey: value.path)
            guard isNews || old != digest else { continue }
            guard remaining != 0 else { return }
            remaining = remaining.map { $0 - 1 }
            sink.take(value, of: node, at: time)
        }
    }

    private mutating func values(_ result: ReadResult, of node: NodeRecord, isFirst: Bool) -> [FollowedValue] {
        switch source {
        case .devices(var watch):
            defer { source = .devices(watch) }
            return watch.values(result, of: node)
        case .attributes(let paths, let catalogue, let numeric, let isQuiet):
            return result.attributes.filter { report in
                paths.contains { $0.covers(report.path) }
                    && (!isFirst || !isQuiet || DeviceStatus.tells(report.path))
            }.compactMap { report in
                if let value = FollowedValue(report, in: catalogue, numeric: numeric) { return value }
                switch report.outcome {
                case .failure(let status): sink.note(node, "\(report.path.text(in: catalogue)): \(status)")
                case .unreadable(let reason): sink.note(node, "\(report.path.text(in: catalogue)): \(reason)")
                case .value: break
                }
                return nil
            }
        }
    }
}
