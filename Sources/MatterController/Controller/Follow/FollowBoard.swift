import MatterNetwork

/// Who follows what of one node, what the one subscription for all of them asks for, and what each has been told.
struct FollowBoard: Sendable {
    /// How many paths a subscription has at most. A node need not allow more than three; most allow some nine.
    private static let mostPaths = 8

    /// The wishes of one program.
    struct Wish: Sendable {
        var attributes: [AttributePath]
        var events: [EventPath]
        /// Whether events count that happened before.
        var includesPast = false
        /// The longest silence that it wants.
        var most: Duration
        /// Whether a node that cannot be reached at first is waited for.
        var isPatient: Bool
    }

    enum Delivery: Sendable {
        case update(NodeUpdate)
        /// Nothing more comes.
        case end((any Error)?)
    }

    private struct Follower {
        let wish: Wish
        /// Whether it has been told that the subscription stands.
        var isTold = false
        /// The least number of an event that it has not been told.
        var nextEvent: UInt64 = 0

        func wants(_ path: ConcreteAttributePath) -> Bool { wish.attributes.contains { $0.covers(path) } }
        func wants(_ path: ConcreteEventPath) -> Bool { wish.events.contains { $0.covers(path) } }
    }

    private enum State {
        /// The first subscription has not been set up.
        case beginning
        case standing(maxInterval: Duration)
        case lost(since: Instant)
    }

    private var followers: [Int: Follower] = [:]
    private var last = 0
    private var state = State.beginning
    /// The paths of the subscription; empty before the first one.
    private var asked: (attributes: [AttributePath], events: [EventPath], most: Duration)?
    /// The last report of each attribute.
    private var reports: [ConcreteAttributePath: AttributeReport] = [:]
    /// The paths in the order in which they came.
    private var order: [ConcreteAttributePath] = []
    /// The number after that of the last event.
    private var nextEvent: UInt64 = 0

    var isEmpty: Bool { followers.isEmpty }

    // MARK: Followers

    /// Adds a follower.
    ///
    /// - Returns: its number, what it is told at once, and whether another subscription is needed for it.
    mutating func add(_ wish: Wish) -> (number: Int, deliveries: [Delivery], needsSubscription: Bool) {
        last += 1
        var follower = Follower(wish: wish)
        let isCovered = covers(wish)
        var deliveries: [Delivery] = []
        if isCovered, case .standing(let maxInterval) = state {
            deliveries = begin(&follower, maxInterval)
            follower.nextEvent = nextEvent
        }
        followers[last] = follower
        return (last, deliveries, !isCovered)
    }

    mutating func remove(_ number: Int) { followers[number] = nil }

    /// Forgets what is known of the node. Numbers of followers are not used twice.
    mutating func startOver() {
        let last = last
        self = FollowBoard()
        self.last = last
    }

    private func covers(_ wish: Wish) -> Bool {
        guard let asked, !wish.includesPast || wish.events.isEmpty, wish.most >= asked.most else { return false }
        return wish.attributes.allSatisfy { path in asked.attributes.contains { $0.covers(path) } }
            && wish.events.allSatisfy { path in asked.events.contains { $0.covers(path) } }
    }

    /// Tells a follower that the subscription stands, and all values.
    private func begin(_ follower: inout Follower, _ maxInterval: Duration) -> [Delivery] {
        follower.isTold = true
        return [.update(.established(Establishment(maxInterval: maxInterval, missed: nil)))]
            + order.compactMap { path in
                guard follower.wants(path), let report = reports[path] else { return nil }
                return .update(.change(AttributeChange(report, .initial)))
            }
    }

    // MARK: The subscription

    /// The paths to subscribe to for all followers.
    mutating func request() -> SubscribeRequest {
        let wishes = followers.sorted { $0.key < $1.key }.map(\.value.wish)
        let attributes = Self.union(wishes.flatMap(\.attributes))
        let events = Self.union(wishes.flatMap(\.events))
        let most = wishes.map(\.most).min() ?? .seconds(60)
        asked = (attributes, events, most)
        var request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: UInt16(clamping: most.components.seconds),
            // A request needs a path: for one who only wants to know whether the node is there, one that every node has.
            attributePaths: attributes.isEmpty && events.isEmpty ? [Self.presence] : attributes, eventPaths: events)
        let wantsPast = followers.values.contains { $0.wish.includesPast && !$0.isTold }
        if !wantsPast, nextEvent > 0 { request.eventFilters = [EventFilter(minimum: nextEvent)] }
        return request
    }

    static let presence = AttributePath(
        endpoint: 0, cluster: BasicInformation.id, attribute: BasicInformation.Attribute.dataModelRevision)

    private static func union(_ paths: [AttributePath]) -> [AttributePath] {
        var result: [AttributePath] = []
        for path in paths where !result.contains(where: { $0.covers(path) }) {
            result.removeAll { path.covers($0) }
            result.append(path)
        }
        guard result.count > mostPaths else { return result }
        if result.contains(where: { $0.attribute != nil }) {
            return union(result.map { AttributePath(endpoint: $0.endpoint, cluster: $0.cluster) })
        }
        return [AttributePath()]
    }

    private static func union(_ paths: [EventPath]) -> [EventPath] {
        var result: [EventPath] = []
        for path in paths where !result.contains(where: { $0.covers(path) }) {
            result.removeAll { path.covers($0) }
            result.append(path)
        }
        return result.count > mostPaths ? [EventPath()] : result
    }

    /// Takes what has come of the subscription.
    ///
    /// - Returns: whom to tell what, in order.
    mutating func take(_ event: SubscriptionEvent, at now: Instant) -> [(follower: Int, delivery: Delivery)] {
        switch event {
        case .established(_, let maxInterval, let result): return stand(maxInterval, result, now)
        case .report(let result): return spread(result, .reported)
        case .lost(let error, let delay): return lose(error, delay, now)
        }
    }

    private mutating func stand(
        _ maxInterval: Duration, _ result: ReadResult, _ now: Instant
    ) -> [(follower: Int, delivery: Delivery)] {
        var deliveries: [(follower: Int, delivery: Delivery)] = []
        var missed: Duration?
        if case .lost(let since) = state { missed = now - since }
        state = .standing(maxInterval: maxInterval)
        if let missed {
            for (number, follower) in sorted where follower.isTold {
                let again = Establishment(maxInterval: maxInterval, missed: missed)
                deliveries.append((number, .update(.established(again))))
            }
        }
        let told = Set(followers.filter(\.value.isTold).keys)
        deliveries += spread(result, missed == nil ? .reported : .missed)
        for (number, var follower) in sorted where !told.contains(number) {
            deliveries += begin(&follower, maxInterval).map { (number, $0) }
            if follower.wish.includesPast {
                deliveries += events(of: result, for: &follower).map { (number, $0) }
            }
            follower.nextEvent = nextEvent
            followers[number] = follower
        }
        return deliveries
    }

    /// Hands reports on to those who have been told that the subscription stands.
    private mutating func spread(
        _ result: ReadResult, _ cause: AttributeChange.Cause
    ) -> [(follower: Int, delivery: Delivery)] {
        var changed: [AttributeReport] = []
        for report in result.attributes {
            let old = reports.updateValue(report, forKey: report.path)
            if old == nil { order.append(report.path) }
            // The first reports of a subscription need not be new.
            if old?.outcome != report.outcome || old == nil { changed.append(report) }
        }
        nextEvent = max(nextEvent, result.events.compactMap { $0.event.map { $0.number &+ 1 } }.max() ?? 0)
        var deliveries: [(follower: Int, delivery: Delivery)] = []
        for (number, var follower) in sorted where follower.isTold {
            for report in changed where follower.wants(report.path) {
                deliveries.append((number, .update(.change(AttributeChange(report, cause)))))
            }
            deliveries += events(of: result, for: &follower).map { (number, $0) }
            followers[number] = follower
        }
        return deliveries
    }

    private func events(of result: ReadResult, for follower: inout Follower) -> [Delivery] {
        var deliveries: [Delivery] = []
        var next = follower.nextEvent
        for report in result.events {
            guard let event = report.event, event.number >= follower.nextEvent, follower.wants(report.path) else {
                continue
            }
            next = max(next, event.number &+ 1)
            deliveries.append(.update(.event(NodeEvent(report.path, event))))
        }
        follower.nextEvent = next
        return deliveries
    }

    private mutating func lose(
        _ error: any Error, _ delay: Duration, _ now: Instant
    ) -> [(follower: Int, delivery: Delivery)] {
        if case .standing = state { state = .lost(since: now) }
        var deliveries: [(follower: Int, delivery: Delivery)] = []
        for (number, follower) in sorted {
            if follower.isTold {
                let loss = SubscriptionLoss(error: MatterError(error), retryAfter: delay)
                deliveries.append((number, .update(.lost(loss))))
            } else if !follower.wish.isPatient {
                deliveries.append((number, .end(error)))
                followers[number] = nil
            }
        }
        return deliveries
    }

    /// Takes the end of the subscription, after which another try is of no use.
    mutating func end(_ error: (any Error)?) -> [(follower: Int, delivery: Delivery)] {
        defer { followers = [:] }
        return sorted.map { ($0.key, .end(error)) }
    }

    private var sorted: [(key: Int, value: Follower)] { followers.sorted { $0.key < $1.key } }
}
