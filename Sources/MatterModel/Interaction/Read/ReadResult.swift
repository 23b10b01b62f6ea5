public import MatterBase

/// A node's report about one attribute (Matter core specification, chapter 8).
public struct AttributeReport: Hashable, Sendable {
    /// A value, or why it could not be read.
    public enum Outcome: Hashable, Sendable {
        /// The value, a list whole however many messages it came in.
        case value(TLVValue)
        /// Why there is none.
        case failure(StatusIB)
        /// The node reported something that breaks the rules; how, for a person.
        case unreadable(String)
    }

    /// Where it is.
    public var path: ConcreteAttributePath
    /// The version of the cluster's data at the time.
    public var dataVersion: UInt32?
    /// The value, or why it could not be read.
    public var outcome: Outcome

    // memberwise: package

    /// The value, unless this is a failure.
    public var value: TLVValue? {
        if case .value(let value) = outcome { value } else { nil }
    }
}

/// Everything that one interaction reported, in the order of the reports (Matter core specification, chapter 8).
public struct ReadResult: Hashable, Sendable {
    /// Each path once.
    public var attributes: [AttributeReport]
    /// The events, in their order.
    public var events: [EventReport]
    /// The faults of the first reports without a readable attribute path.
    public var unattributed: [String]

    /// How many of ``unattributed`` are kept.
    private static let keptFaults = 8

    package init(attributes: [AttributeReport] = [], events: [EventReport] = [], unattributed: [String] = []) {
        self.attributes = attributes
        self.events = events
        self.unattributed = Array(unattributed.prefix(Self.keptFaults))
    }

    /// The report about an attribute; `nil` if the node did not report it.
    package func attribute(_ path: ConcreteAttributePath) -> AttributeReport? {
        attributes.first { $0.path == path }
    }

    /// Adds what a later request, or a later report of a subscription, brought; it replaces what is older.
    package mutating func merge(_ later: ReadResult) {
        var positions: [ConcreteAttributePath: Int] = [:]
        for (position, report) in attributes.enumerated() { positions[report.path] = position }
        for report in later.attributes {
            if let position = positions[report.path] {
                attributes[position] = report
            } else {
                positions[report.path] = attributes.count
                attributes.append(report)
            }
        }
        events += later.events
        unattributed += later.unattributed.prefix(Self.keptFaults - unattributed.count)
    }

    /// Filters that make a repeated request leave out what has not changed since.
    package var dataVersionFilters: [DataVersionFilter] {
        var versions: [ClusterPath: UInt32] = [:]
        var order: [ClusterPath] = []
        for report in attributes {
            guard let version = report.dataVersion else { continue }
            let cluster = ClusterPath(endpoint: report.path.endpoint, cluster: report.path.cluster)
            if versions.updateValue(version, forKey: cluster) == nil { order.append(cluster) }
        }
        return order.compactMap { cluster in
            versions[cluster].map { DataVersionFilter(path: cluster, dataVersion: $0) }
        }
    }

    /// The largest number among the events.
    var lastEventNumber: UInt64? { events.compactMap { $0.event?.number }.max() }
}
