import MatterController

/// Everything that is known of the house now. Pure: reports go in, news come out.
struct HouseBoard: Sendable {
    /// How many events of devices are kept for `diagnostics`.
    private static let keptEvents = 25

    /// The event by which a node says that it ends (Matter core specification 11.1.6.2).
    private static let shutDown = EventID(1)

    /// The facts that are known of a node.
    struct Node: Sendable {
        var record: NodeRecord
        /// Encoded values.
        var attributes: [CachePath: [UInt8]] = [:]
        /// The endpoints but the root, as the node lists them.
        var parts: Set<UInt16> = []
        var isAvailable = false
        /// Whether a subscription stood, or could not be set up.
        var isSettled = false
        /// How many subscriptions in turn could not be set up, or were lost.
        var losses = 0
        /// The least number of an event that has not been told.
        var nextEvent: UInt64?
        /// When it was heard last.
        var heardAt: Instant?
        /// When all of it was read last, milliseconds since 1970.
        var interviewedAt: Int64?
        /// Why it cannot be followed.
        var failure: String?
        /// The longest silence that it may keep.
        var maxInterval: Duration?
    }

    /// Something that the house has to do.
    enum Work: Sendable, Equatable {
        /// Read all of a node; endpoints are new.
        case interview(NodeID, added: Set<UInt16>)
    }

    struct Outcome: Sendable, Equatable {
        var news: [HouseNews] = []
        var work: [Work] = []
    }

    private(set) var nodes: [NodeID: Node] = [:]
    /// The last events of devices, encoded.
    private(set) var lastEvents: [[UInt8]] = []

    /// How an event is encoded; a test gives something else.
    var encodeEvent: @Sendable (NodeID, EventReport, EventReport.Event) -> [UInt8]?
    /// How a value is encoded; `nil` for one that breaks the rules.
    var encode: @Sendable (ConcreteAttributePath, TLVValue) -> [UInt8]?

    init(
        encode: @escaping @Sendable (ConcreteAttributePath, TLVValue) -> [UInt8]?,
        encodeEvent: @escaping @Sendable (NodeID, EventReport, EventReport.Event) -> [UInt8]?
    ) {
        self.encode = encode
        self.encodeEvent = encodeEvent
    }

    /// The nodes by id.
    var sorted: [Node] { nodes.values.sorted { $0.record.nodeID < $1.record.nodeID } }

    /// Whether every node has been heard, or is known to be out of reach.
    var isSettled: Bool { nodes.values.allSatisfy(\.isSettled) }

    // MARK: Nodes

    /// Takes the records that are there now.
    ///
    /// - Returns: the nodes that are new and those that are gone; news of the latter.
    mutating func take(
        _ records: [NodeRecord]
    ) -> (added: [NodeID], removed: [NodeID], news: [HouseNews]) {
        var added: [NodeID] = []
        let present = Set(records.map(\.nodeID))
        for record in records {
            if nodes[record.nodeID] == nil {
                nodes[record.nodeID] = Node(record: record)
                added.append(record.nodeID)
            } else {
                nodes[record.nodeID]?.record = record
            }
        }
        let removed = nodes.keys.filter { !present.contains($0) }
        return (added, removed, removed.flatMap { remove($0) })
    }

    mutating func remove(_ id: NodeID) -> [HouseNews] {
        guard let node = nodes.removeValue(forKey: id) else { return [] }
        return node.attributes.isEmpty ? [] : [.nodeRemoved(id)]
    }

    /// Gives a node what was known of it before the server started.
    mutating func restore(_ id: NodeID, _ attributes: [CachePath: [UInt8]], parts: Set<UInt16>, interviewedAt: Int64?) {
        guard nodes[id]?.attributes.isEmpty ?? false else { return }
        nodes[id]?.attributes = attributes
        nodes[id]?.parts = parts
        nodes[id]?.interviewedAt = interviewedAt
    }

    // MARK: Reports

    /// Takes what has come of the subscription to a node.
    ///
    /// - Parameter unix: the time, milliseconds since 1970.
    mutating func take(_ event: SubscriptionEvent, of id: NodeID, at now: Instant, unix: Int64) -> Outcome {
        guard let node = nodes[id] else { return Outcome() }
        switch event {
        case .established(_, let maxInterval, let result):
            nodes[id]?.maxInterval = maxInterval
            return establish(id, node, result, now, unix)
        case .report(let result):
            nodes[id]?.heardAt = now
            return report(id, result)
        case .lost(let error, _): return lose(id, node, "\(error)")
        }
    }

    private mutating func establish(
        _ id: NodeID, _ before: Node, _ result: ReadResult, _ now: Instant, _ unix: Int64
    ) -> Outcome {
        var outcome = Outcome()
        if before.nextEvent == nil {
            // The log of the time before the server was there is no news.
            nodes[id]?.nextEvent = result.events.compactMap { $0.event.map { $0.number &+ 1 } }.max() ?? 0
        }
        outcome = report(id, result)
        nodes[id]?.heardAt = now
        nodes[id]?.losses = 0
        nodes[id]?.failure = nil
        nodes[id]?.isSettled = true
        nodes[id]?.isAvailable = true
        if before.interviewedAt == nil || !before.isSettled { nodes[id]?.interviewedAt = unix }
        guard !before.isAvailable else { return outcome }
        // All values are told with the node.
        outcome.news.removeAll { if case .attribute = $0 { true } else { false } }
        outcome.news.insert(before.attributes.isEmpty ? .nodeAdded(id) : .nodeUpdated(id), at: 0)
        return outcome
    }

    /// Takes reports of a node that is there.
    private mutating func report(_ id: NodeID, _ result: ReadResult) -> Outcome {
        guard var node = nodes[id] else { return Outcome() }
        var outcome = Outcome()
        let isKnown = node.isSettled
        for report in result.attributes {
            guard case .value(let value) = report.outcome, let encoded = encode(report.path, value) else { continue }
            let path = CachePath(report.path)
            guard node.attributes[path] != encoded else { continue }
            let isChange = node.attributes.updateValue(encoded, forKey: path) != nil
            if path == .parts {
                take(Self.parts(value), of: id, &node, isKnown: isKnown, &outcome)
            } else if path == .softwareVersion, isChange {
                outcome.work.append(.interview(id, added: []))
            }
            outcome.news.append(.attribute(id, path))
        }
        for report in result.events {
            guard let event = report.event, event.number >= node.nextEvent ?? 0 else { continue }
            node.nextEvent = event.number &+ 1
            guard let encoded = encodeEvent(id, report, event) else { continue }
            outcome.news.append(.event(id, encoded))
            lastEvents.append(encoded)
            if lastEvents.count > Self.keptEvents { lastEvents.removeFirst() }
            if Self.isShutDown(report.path), node.isAvailable {
                node.isAvailable = false
                outcome.news.append(.nodeUpdated(id))
            }
        }
        nodes[id] = node
        return outcome
    }

    private func take(
        _ parts: Set<UInt16>, of id: NodeID, _ node: inout Node, isKnown: Bool, _ outcome: inout Outcome
    ) {
        let (added, removed) = (parts.subtracting(node.parts), node.parts.subtracting(parts))
        node.parts = parts
        guard isKnown else { return }
        if !removed.isEmpty {
            node.attributes = node.attributes.filter { !removed.contains($0.key.endpoint) }
            outcome.news += removed.sorted().map { .endpointRemoved(id, $0) }
            outcome.news.append(.nodeUpdated(id))
        }
        if !added.isEmpty { outcome.work.append(.interview(id, added: added)) }
    }

    private mutating func lose(_ id: NodeID, _ node: Node, _ reason: String) -> Outcome {
        let losses = node.losses + 1
        nodes[id]?.losses = losses
        nodes[id]?.failure = reason
        if !node.isSettled {
            nodes[id]?.isSettled = true
            // It is told with what was known of it, so that it is not taken for one that is gone.
            return node.attributes.isEmpty ? Outcome() : Outcome(news: [.nodeUpdated(id)])
        }
        // A single loss may be a report that came late.
        guard losses > 1, node.isAvailable else { return Outcome() }
        nodes[id]?.isAvailable = false
        return Outcome(news: [.nodeUpdated(id)])
    }

    /// Takes the end of all attempts to follow a node.
    mutating func end(_ id: NodeID, _ reason: String) -> Outcome {
        guard let node = nodes[id] else { return Outcome() }
        nodes[id]?.losses = 1
        return lose(id, node, reason)
    }

    /// Takes a node that was read as a whole: what it does not have any more goes.
    mutating func takeInterview(
        _ id: NodeID, _ result: ReadResult, added: Set<UInt16>, unix: Int64
    ) -> Outcome {
        guard nodes[id] != nil else { return Outcome() }
        let present = Set(result.attributes.compactMap { $0.value == nil ? nil : CachePath($0.path) })
        let before = nodes[id]?.parts ?? []
        var outcome = report(id, result)
        // Its own findings are told with the node.
        outcome.work.removeAll()
        outcome.news.removeAll { if case .attribute = $0 { true } else { false } }
        guard var node = nodes[id] else { return outcome }
        // A portion of the answer may have failed.
        if present.count > node.attributes.count / 2 {
            node.attributes = node.attributes.filter { present.contains($0.key) }
        }
        node.interviewedAt = unix
        node.isSettled = true
        nodes[id] = node
        outcome.news.removeAll { $0 == .nodeUpdated(id) }
        outcome.news.append(.nodeUpdated(id))
        let new = added.union(node.parts.subtracting(before)).filter { part in
            node.attributes.keys.contains { $0.endpoint == part }
        }
        outcome.news += new.sorted().map { .endpointAdded(id, $0) }
        return outcome
    }

    /// Takes values that were read by themselves.
    mutating func takeReading(_ id: NodeID, _ result: ReadResult) -> Outcome { report(id, result) }

    // MARK: What values say

    private static func parts(_ value: TLVValue) -> Set<UInt16> {
        Set((value.items ?? []).compactMap { $0.integer(as: UInt16.self) })
    }

    private static func isShutDown(_ path: ConcreteEventPath) -> Bool {
        path.cluster == BasicInformation.id && path.event == shutDown
    }
}
