import MatterState

/// The subscription that a program has with a node, for one more who follows the node (own): a device grants few of them.
///
/// It is for every attribute and every event, without a least interval and without the filter by fabric.
public struct StandingSubscription: Sendable {
    /// The number that the node gave it.
    public var id: UInt32
    /// The longest silence of the node.
    public var maxInterval: Duration
    /// The values at the beginning.
    public var state: KnownState
    /// The fabric's index on the node; `nil` if it is not known.
    public var fabricIndex: UInt8?
    /// Everything that the node has told since. It ends when the program does not follow the node any more.
    public var events: AsyncStream<SubscriptionEvent>

    /// A subscription that stands.
    public init(
        id: UInt32, maxInterval: Duration, state: KnownState, fabricIndex: UInt8?,
        events: AsyncStream<SubscriptionEvent>
    ) {
        self.id = id
        self.maxInterval = maxInterval
        self.state = state
        self.fabricIndex = fabricIndex
        self.events = events
    }
}

/// The part of a standing subscription that a request asks for, as if it had a subscription of its own.
struct SharedSubscription {
    private let request: SubscribeRequest
    private let standing: StandingSubscription
    /// The log of the node, if that was asked for.
    private let log: [EventReport]
    /// The least number of an event that is news.
    private let firstNews: UInt64

    /// - Parameter log: what the node answered to the question for past events.
    /// - Returns: `nil` if the request leads to nothing that is known, which only the node can answer.
    init?(_ request: SubscribeRequest, _ standing: StandingSubscription, log: [EventReport]) {
        guard
            request.attributePaths.allSatisfy({ path in standing.state.values.contains { path.covers($0.path) } })
        else { return nil }
        self.request = request
        self.standing = standing
        self.log = log
        let last = log.compactMap { $0.event?.number }.max()
        firstNews = max(request.eventFilters.map(\.minimum).min() ?? 0, last.map { $0 &+ 1 } ?? 0)
    }

    /// Everything that comes after the beginning.
    var events: AsyncStream<SubscriptionEvent> { standing.events }

    /// The first event, with the values at the beginning.
    var beginning: SubscriptionEvent {
        let reports = standing.state.values.filter { value in
            request.attributePaths.contains { $0.covers(value.path) }
        }.map { AttributeReport(path: $0.path, dataVersion: $0.dataVersion, outcome: .value(filtered($0.value))) }
        return .established(
            id: standing.id, maxInterval: standing.maxInterval, ReadResult(attributes: reports, events: log))
    }

    /// The part of an event that was asked for; `nil` if there is nothing.
    func part(_ event: SubscriptionEvent) -> SubscriptionEvent? {
        switch event {
        case .established(let id, let maxInterval, let result):
            return .established(id: id, maxInterval: maxInterval, part(result))
        case .report(let result):
            let result = part(result)
            return result.attributes.isEmpty && result.events.isEmpty ? nil : .report(result)
        case .lost: return event
        }
    }

    private func part(_ result: ReadResult) -> ReadResult {
        let attributes = result.attributes.filter { report in
            request.attributePaths.contains { $0.covers(report.path) }
        }.map { report in
            guard case .value(let value) = report.outcome else { return report }
            return AttributeReport(
                path: report.path, dataVersion: report.dataVersion, outcome: .value(filtered(value)))
        }
        let events = result.events.filter { report in
            request.eventPaths.contains { $0.covers(report.path) }
                && report.event.map { $0.number >= firstNews } ?? true
        }
        return ReadResult(attributes: attributes, events: events)
    }

    /// A list without the entries of other fabrics (Matter core specification 7.5.3 and 8.5.1.6): the standing subscription has them.
    private func filtered(_ value: TLVValue) -> TLVValue {
        guard request.isFabricFiltered, let own = standing.fabricIndex, let items = value.items else { return value }
        let kept = items.filter { $0.scopedFabricIndex.map { $0 == own } ?? true }
        return kept.count == items.count ? value : .array(of: kept)
    }
}
