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
        var attributes = AttributeTable()
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
        /// The number of the subscription that stood last.
        var subscription: UInt32?
        /// The versions of the data of its clusters, by endpoint and cluster.
        var versions: [UInt64: UInt32] = [:]
        /// Whether it has other attributes than those that were kept last.
        var isGrown = false
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
    /// The rules that a value has to keep to.
    var isSound: @Sendable (ConcreteAttributePath, TLVValue) -> Bool
    /// The time from which values have their times.
    private let origin: Instant

    init(
        since origin: Instant, isSound: @escaping @Sendable (ConcreteAttributePath, TLVValue) -> Bool,
        encodeEvent: @escaping @Sendable (NodeID, EventReport, EventReport.Event) -> [UInt8]?
    ) {
        self.origin = origin
        self.isSound = isSound
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
    mutating func restore(_ id: NodeID, _ kept: KeptNode) {
        guard nodes[id]?.attributes.isEmpty ?? false else { return }
        nodes[id]?.attributes = kept.attributes
        nodes[id]?.parts = kept.parts
        nodes[id]?.interviewedAt = kept.interviewedAt
    }

    // MARK: Reports

    /// Takes what has come of the subscription to a node.
    ///
    /// - Parameter unix: the time, milliseconds since 1970.
    mutating func take(_ event: SubscriptionEvent, of id: NodeID, at now: Instant, unix: Int64) -> Outcome {
        guard let node = nodes[id] else { return Outcome() }
        switch event {
        case .established(let subscription, let maxInterval, let result):
            nodes[id]?.maxInterval = maxInterval
            nodes[id]?.subscription = subscription
            return establish(id, node, result, now, unix)
        case .report(let result):
            nodes[id]?.heardAt = now
            return report(id, result, now)
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
        outcome = report(id, result, now)
        nodes[id]?.attributes.compact()
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
    private mutating func report(_ id: NodeID, _ result: ReadResult, _ now: Instant) -> Outcome {
        guard let place = nodes.index(forKey: id) else { return Outcome() }
        let second = UInt32(clamping: (now - origin).components.seconds)
        // It is changed where it lies: a copy of all its values would cost more than the report.
        var outcome = Self.take(result.attributes, of: id, &nodes.values[place], second, isSound)
        for report in result.events {
            guard let event = report.event, event.number >= nodes.values[place].nextEvent ?? 0 else { continue }
            nodes.values[place].nextEvent = event.number &+ 1
            guard let encoded = encodeEvent(id, report, event) else { continue }
            outcome.news.append(.event(id, encoded))
            lastEvents.append(encoded)
            if lastEvents.count > Self.keptEvents { lastEvents.removeFirst() }
            if Self.isShutDown(report.path), nodes.values[place].isAvailable {
                nodes.values[place].isAvailable = false
                outcome.news.append(.nodeUpdated(id))
            }
        }
        return outcome
    }

    private static func take(
        _ reports: [AttributeReport], of id: NodeID, _ node: inout Node, _ second: UInt32,
        _ isSound: (ConcreteAttributePath, TLVValue) -> Bool
    ) -> Outcome {
        var outcome = Outcome()
        let isKnown = node.isSettled
        for report in reports {
            guard case .value(let value) = report.outcome, isSound(report.path, value) else { continue }
            let path = CachePath(report.path)
            if let version = report.dataVersion { node.versions[path.clusterKey] = version }
            let change = node.attributes.set(path, value, at: second)
            guard change != .same else { continue }
            if change == .new { node.isGrown = true }
            if path == .parts {
                take(parts(value), of: id, &node, isKnown: isKnown, &outcome)
            } else if path == .softwareVersion, change == .changed {
                outcome.work.append(.interview(id, added: []))
            }
            outcome.news.append(.attribute(id, path))
        }
        return outcome
    }

    private static func take(
        _ parts: Set<UInt16>, of id: NodeID, _ node: inout Node, isKnown: Bool, _ outcome: inout Outcome
    ) {
        let (added, removed) = (parts.subtracting(node.parts), node.parts.subtracting(parts))
        node.parts = parts
        guard isKnown else { return }
        if !removed.isEmpty {
            node.attributes.keep { !removed.contains($0.endpoint) }
            node.isGrown = true
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
        guard var node = nodes[id] else { return Outcome() }
        // No further attempt will tell whether this was a single one.
        node.losses = max(node.losses, 1)
        return lose(id, node, reason)
    }

    /// Takes a node that was read as a whole: what it does not have any more goes.
    mutating func takeInterview(
        _ id: NodeID, _ result: ReadResult, added: Set<UInt16>, at now: Instant, unix: Int64
    ) -> Outcome {
        guard nodes[id] != nil else { return Outcome() }
        let told = Set(result.attributes.compactMap { $0.value == nil ? nil : CachePath($0.path) })
        let before = nodes[id]?.parts ?? []
        var outcome = report(id, result, now)
        // Its own findings are told with the node.
        outcome.work.removeAll()
        outcome.news.removeAll { if case .attribute = $0 { true } else { false } }
        guard let place = nodes.index(forKey: id) else { return outcome }
        // A portion of the answer may have failed.
        if told.count > nodes.values[place].attributes.count / 2 {
            nodes.values[place].attributes.keep { told.contains($0) }
        }
        nodes.values[place].interviewedAt = unix
        nodes.values[place].isSettled = true
        nodes.values[place].isGrown = true
        outcome.news.removeAll { $0 == .nodeUpdated(id) }
        outcome.news.append(.nodeUpdated(id))
        let present = Set(nodes.values[place].attributes.paths.map(\.endpoint))
        let new = added.union(nodes.values[place].parts.subtracting(before)).intersection(present)
        outcome.news += new.sorted().map { .endpointAdded(id, $0) }
        return outcome
    }

    /// Takes values that were read by themselves.
    mutating func takeReading(_ id: NodeID, _ result: ReadResult, at now: Instant) -> Outcome {
        report(id, result, now)
    }

    // MARK: Memory

    /// The nodes whose attributes are to be kept for the next start: those that have others than before, or all that were heard.
    mutating func takeToKeep(all: Bool) -> [(NodeID, KeptNode)] {
        nodes.filter { !$0.value.attributes.isEmpty && ($0.value.isGrown || all && $0.value.heardAt != nil) }.map {
            id, node in
            nodes[id]?.isGrown = false
            return (id, KeptNode(attributes: node.attributes, parts: node.parts, interviewedAt: node.interviewedAt))
        }
    }

    /// The values at paths of a node, for who asks what state the house is in.
    ///
    /// - Returns: `nil` for a node that is not followed, or of which nothing has come yet.
    func state(of id: NodeID, at paths: [AttributePath], now: Instant) -> KnownState? {
        guard let node = nodes[id], node.isSettled, node.heardAt != nil || node.failure != nil else { return nil }
        let second = UInt32(clamping: (now - origin).components.seconds)
        var values: [KnownState.Value] = []
        for path in node.attributes.paths where paths.contains(where: { $0.covers(path.concrete) }) {
            guard let value = node.attributes[path] else { continue }
            let age = node.attributes.time(of: path).map { Duration.seconds(Int64(second) - Int64($0)) }
            values.append(
                KnownState.Value(
                    path: path.concrete, value: value, age: age, dataVersion: node.versions[path.clusterKey]))
        }
        return KnownState(
            values: values, heard: node.heardAt.map { now - $0 },
            failure: node.isAvailable ? nil : node.failure ?? "it has ended")
    }

    // MARK: What values say

    static func parts(_ value: TLVValue) -> Set<UInt16> {
        Set((value.items ?? []).compactMap { $0.integer(as: UInt16.self) })
    }

    private static func isShutDown(_ path: ConcreteEventPath) -> Bool {
        path.cluster == BasicInformation.id && path.event == shutDown
    }
}
