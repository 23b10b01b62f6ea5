import MatterNetwork

/// A subscription that this node publishes (Matter core specification 8.5).
struct PublishedSubscription: Sendable {
    let id: UInt32
    var caller: Caller
    let attributePaths: [AttributePath]
    let eventPaths: [EventPath]
    let isFabricFiltered: Bool
    let minInterval: Duration
    let maxIntervalSeconds: UInt16
    /// True if the subscriber has its SubscribeResponse.
    var isActive = false
    /// True if a report is on its way.
    var isReporting = false
    var lastReport: Instant
    /// The changes since it was last reported.
    private(set) var dirty: [ConcreteAttributePath] = []
    private var isDirty: Set<ConcreteAttributePath> = []
    /// The first event that was not reported.
    var nextEvent: UInt64
    private var hasUrgentEvent = false

    init(
        id: UInt32, caller: Caller, request: SubscribeRequest, maxIntervalSeconds: UInt16, nextEvent: UInt64,
        now: Instant
    ) {
        self.id = id
        self.caller = caller
        attributePaths = request.attributePaths
        eventPaths = request.eventPaths
        isFabricFiltered = request.isFabricFiltered
        minInterval = .seconds(Int64(request.minIntervalFloor))
        self.maxIntervalSeconds = maxIntervalSeconds
        self.nextEvent = nextEvent
        lastReport = now
    }

    var fabricIndex: UInt8 { caller.fabricIndex }
    var session: SessionReference? { caller.session }

    /// When the next report goes out; `nil` while one is under way.
    var dueAt: Instant? {
        guard isActive, !isReporting else { return nil }
        if !dirty.isEmpty || hasUrgentEvent { return lastReport + minInterval }
        let most = Duration.seconds(Int64(maxIntervalSeconds))
        // A little early: the report has to be there before the subscriber gives up.
        return lastReport + max(minInterval, most - min(most / 10, .seconds(2)))
    }

    mutating func noteChange(_ path: ConcreteAttributePath) {
        guard attributePaths.contains(where: { $0.matches(path) }), isDirty.insert(path).inserted else { return }
        dirty.append(path)
    }

    mutating func noteEvent(_ path: ConcreteEventPath) {
        if eventPaths.contains(where: { $0.isUrgent == true && $0.matches(path) }) { hasUrgentEvent = true }
    }

    /// The contents of the next report.
    mutating func takeDirty() -> [ConcreteAttributePath] {
        defer {
            dirty = []
            isDirty = []
            hasUrgentEvent = false
        }
        return dirty
    }
}

/// A report that is due.
struct DueReport: Sendable {
    var subscription: UInt32
    var session: SessionReference
    var attributes: [AttributeReportIB]
    var events: [EventReportIB]
}

/// A subscription that is being set up, with what it reports first.
struct NewSubscription: Sendable {
    var response: SubscribeResponse
    var attributes: [AttributeReportIB]
    var events: [EventReportIB]
}
