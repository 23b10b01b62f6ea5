import MatterNetwork

/// A point in time on both clocks.
struct Moment: Sendable {
    var instant: Instant
    /// Microseconds since 1970.
    var unixMicroseconds: UInt64

    /// The same a while later.
    func advanced(by duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return Moment(
            instant: instant + duration, unixMicroseconds: unixMicroseconds &+ UInt64(bitPattern: microseconds))
    }
}

/// The data model and the interactions of one virtual device, without sockets, clocks or files.
///
/// Time comes in with every call, consequences go out through ``takeEffects()`` and ``takeReports()``, and what is to be
/// saved through ``takeUnsaved()``. It belongs to one executor; see ``SimulatedDevice``.
final class SimulatedNode {
    /// A part of the state that is saved as one record.
    enum SavedPart: Hashable, Sendable {
        case clusters, fabrics, eventNumber
        /// The state that a command has stored in a cluster: saved with the clusters, and before the command is answered.
        case states
    }

    let configuration: NodeConfiguration
    let random: any RandomSource
    var moment: Moment
    let startedAt: Instant
    var endpoints: [EndpointID: NodeEndpoint] = [:]
    var endpointNumbers: [EndpointID] = []
    var absentParts: [EndpointID: AbsentPart] = [:]
    var timers: [TimerKey: Instant] = [:]
    var events: EventLog
    var fabrics = FabricTable()
    var failSafe: FailSafe?
    var window: CommissioningWindow
    /// Whether the device can be reached as a node.
    var isOnNetwork: Bool
    var subscriptions: [PublishedSubscription] = []
    var load = InteractionLoad()
    /// The correction of our clock by SetUTCTime, in microseconds.
    var clockOffset: Int64 = 0

    var effects: [NodeEffect] = []
    var reports: [NodeReport] = []
    var unsaved: Set<SavedPart> = []
    var answerDelay = Duration.zero
    var pendingCommands: [PendingCommand] = []
    private var signals: [(signal: any ClusterSignal, endpoint: EndpointID, cluster: ClusterID)] = []
    private var siblingChanges: [(endpoint: EndpointID, cluster: ClusterID, attribute: AttributeID)] = []
    private var isSettling = false
    private var unprinted: [ConcreteAttributePath] = []

    /// - Parameters:
    ///   - plans: the endpoints from 1 on.
    ///   - saved: what an earlier run saved.
    init(
        _ configuration: NodeConfiguration, endpoints plans: [EndpointPlan], saved: SavedNode = SavedNode(),
        random: any RandomSource, at moment: Moment
    ) throws(SimulatorError) {
        self.configuration = configuration
        self.random = random
        self.moment = moment
        startedAt = moment.instant
        isOnNetwork = configuration.onboarding == .joined || configuration.network == .ethernet
        events = EventLog(nextNumber: saved.nextEventNumber)
        window = CommissioningWindow()
        fabrics = FabricTable(saved.fabrics)
        try add(endpoint: 0, RootEndpoint.plan(configuration, bootCount: saved.bootCount, parts: plans.count))
        for (index, plan) in plans.enumerated() { try add(endpoint: EndpointID(UInt16(index + 1)), plan) }
        restore(saved.clusters)
        if saved.clusters != SavedClusters() { forgetLostFabrics() }
        unsaved = [.eventNumber, .clusters]
        for endpoint in endpointNumbers {
            for cluster in self.endpoints[endpoint]?.clusterNumbers ?? [] {
                call(endpoint, cluster, .device) { $0.start($1) }
            }
        }
        settle()
        if fabrics.isEmpty { openWindowAtBoot() }
    }

    private func add(endpoint number: EndpointID, _ plan: EndpointPlan) throws(SimulatorError) {
        var clusters: [ClusterID: ClusterEntry] = [:]
        var servers = plan.servers
        if !servers.contains(where: { $0.id == Descriptor.id }) {
            servers.append(DescriptorServer(tags: plan.tags))
        }
        for server in servers {
            guard let model = ClusterModel.model(of: server.id) else {
                throw SimulatorError(.unknownDeviceType, "cluster \(server.id) is not in the catalogue")
            }
            clusters[server.id] = ClusterEntry(server, model: model, dataVersion: randomWord())
        }
        endpoints[number] = NodeEndpoint(
            deviceTypes: plan.deviceTypes, clients: plan.clients,
            parts: plan.parts.map { EndpointID(number.rawValue + $0) },
            tags: plan.tags, clusters: clusters, clusterNumbers: clusters.keys.sorted())
        endpointNumbers.append(number)
    }

    /// Without randomness a version that moves with time still serves its purpose.
    func randomWord() -> UInt32 {
        (try? random.integer(UInt32.self)) ?? UInt32(truncatingIfNeeded: moment.unixMicroseconds)
    }

    // MARK: Turns

    /// Does something at a time, and everything that follows from it.
    func turn<Result, Failure: Error>(
        at moment: Moment, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        self.moment = moment
        defer { settle() }
        return try body()
    }

    func takeEffects() -> [NodeEffect] {
        defer { effects = [] }
        return effects
    }

    func takeReports() -> [NodeReport] {
        defer { reports = [] }
        return reports
    }

    func takeUnsaved() -> Set<SavedPart> {
        defer { unsaved = [] }
        return unsaved
    }

    /// How long the answer to the command at hand is to be held back.
    func takeAnswerDelay() -> Duration {
        defer { answerDelay = .zero }
        return answerDelay
    }

    /// The commands of the request at hand that are answered later: what has been said of them so far is BUSY.
    func takePendingCommands() -> [PendingCommand] {
        defer { pendingCommands = [] }
        return pendingCommands
    }

    func report(_ report: NodeReport) { reports.append(report) }

    // MARK: Time

    /// When ``tick(at:)`` has work to do.
    var nextDeadline: Instant? {
        var earliest = timers.values.min()
        func consider(_ instant: Instant?) {
            if let instant { earliest = min(earliest ?? instant, instant) }
        }
        consider(failSafe?.deadline)
        consider(window.deadline)
        for subscription in subscriptions { consider(subscription.dueAt) }
        return earliest
    }

    /// Runs what is due: timers, the fail-safe, the window. Reports that are due come from ``takeDueReports()``.
    func tick(at moment: Moment) {
        turn(at: moment) {
            let due = timers.filter { $0.value <= moment.instant }.sorted { $0.value < $1.value }
            for (key, deadline) in due where timers[key] == deadline {
                timers[key] = nil
                call(key.endpoint, key.cluster, .device) { $0.timerFired(key.name, $1) }
                settle()
            }
            if let deadline = failSafe?.deadline, deadline <= moment.instant { expireFailSafe("expired") }
            if let deadline = window.deadline, deadline <= moment.instant { closeWindow("timeout") }
        }
    }

    /// Microseconds since 2000 by our clock, in the turn at hand.
    var epochMicroseconds: UInt64? { epochMicroseconds(at: moment) }

    /// The time of our clock at a moment. Between turns ``moment`` is that of the last turn.
    func epochMicroseconds(at moment: Moment) -> UInt64? {
        let unix = Int64(clamping: moment.unixMicroseconds) + clockOffset
        let epoch = unix - 946_684_800_000_000
        return epoch >= 0 ? UInt64(epoch) : nil
    }

    // MARK: Attributes

    func entry(_ endpoint: EndpointID, _ cluster: ClusterID) -> ClusterEntry? { endpoints[endpoint]?.clusters[cluster] }

    func stored(_ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: AttributeID) -> TLVValue? {
        entry(endpoint, cluster)?.values[attribute]
    }

    func store(_ value: TLVValue?, _ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: AttributeID) {
        guard let entry = entry(endpoint, cluster), let value, let old = entry.values[attribute], old != value else {
            return
        }
        entry.values[attribute] = value
        changed(endpoint, cluster, attribute)
    }

    /// Tells everybody who has to know that an attribute has another value.
    func changed(_ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: AttributeID) {
        guard let entry = entry(endpoint, cluster) else { return }
        entry.dataVersion &+= 1
        if entry.persistentAttributes.contains(attribute) { unsaved.insert(.clusters) }
        let path = ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute)
        for index in subscriptions.indices { subscriptions[index].noteChange(path) }
        if let clusters = endpoints[endpoint]?.clusters.values,
            clusters.contains(where: { $0.observedClusters.contains(cluster) })
        {
            siblingChanges.append((endpoint, cluster, attribute))
        }
        guard !entry.quietAttributes.contains(attribute) else { return }
        // A value that is computed can be had once the server is back from its call.
        if entry.server == nil {
            if !unprinted.contains(path) { unprinted.append(path) }
        } else {
            printChange(path)
        }
    }

    private func printChange(_ path: ConcreteAttributePath) {
        guard let value = read(path) else { return }
        report(
            .attribute(endpoint: path.endpoint, cluster: path.cluster, attribute: path.attribute, value: value))
    }

    /// The value of an attribute, computed where it is; `nil` if there is none.
    func read(_ path: ConcreteAttributePath, caller: Caller = .device) -> TLVValue? {
        guard let entry = entry(path.endpoint, path.cluster), let stored = entry.values[path.attribute] else {
            return nil
        }
        guard !AttributePath.isGlobal(attribute: path.attribute) else { return stored }
        let context = ClusterContext(node: self, endpoint: path.endpoint, cluster: path.cluster, caller: caller)
        return entry.server?.read(path.attribute, context) ?? stored
    }

    // MARK: Servers

    /// Lends a server to a closure; it is out of reach for everybody else meanwhile.
    @discardableResult
    func call<Result, Failure: Error>(
        _ endpoint: EndpointID, _ cluster: ClusterID, _ caller: Caller,
        _ body: (inout any ClusterServer, ClusterContext) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let entry = entry(endpoint, cluster), var server = entry.server else { return nil }
        entry.server = nil
        defer {
            entry.server = server
            let changes = unprinted
            unprinted = []
            for path in changes {
                if self.entry(path.endpoint, path.cluster)?.server == nil {
                    if !unprinted.contains(path) { unprinted.append(path) }
                } else {
                    printChange(path)
                }
            }
        }
        return try body(
            &server, ClusterContext(node: self, endpoint: endpoint, cluster: cluster, caller: caller))
    }

    func enqueue(_ signal: any ClusterSignal, endpoint: EndpointID, cluster: ClusterID) {
        signals.append((signal, endpoint, cluster))
    }

    /// Delivers signals and changes until there are no more.
    func settle() {
        guard !isSettling else { return }
        isSettling = true
        defer { isSettling = false }
        // Two servers that answer each other for ever would never let go; a real chain is short.
        var rest = 10_000
        while rest > 0 {
            rest -= 1
            if !signals.isEmpty {
                let next = signals.removeFirst()
                call(next.endpoint, next.cluster, .device) { $0.receive(next.signal, $1) }
            } else if !siblingChanges.isEmpty {
                let next = siblingChanges.removeFirst()
                for number in endpoints[next.endpoint]?.clusterNumbers ?? []
                where entry(next.endpoint, number)?.observedClusters.contains(next.cluster) ?? false {
                    call(next.endpoint, number, .device) { $0.siblingChanged(next.cluster, next.attribute, $1) }
                }
            } else {
                return
            }
        }
        signals = []
        siblingChanges = []
    }

    /// Something happened to the device itself: `ENDPOINT CLUSTER WORD…`.
    ///
    /// - Returns: whether the cluster made sense of it.
    func input(_ line: String, at moment: Moment) -> Bool {
        let words = line.split(separator: " ")
        guard words.count >= 2, let endpoint = UInt16(words[0]).map({ EndpointID($0) }),
            let cluster = try? Catalogue.standard.cluster(named: String(words[1])).id
        else { return false }
        return turn(at: moment) {
            call(endpoint, cluster, .device) { $0.input(Array(words.dropFirst(2)), $1) } ?? false
        }
    }

    // MARK: Events

    func emit(_ event: EventID, _ fields: [TLVElement], endpoint: EndpointID, cluster: ClusterID) {
        guard let definition = entry(endpoint, cluster)?.model.events[event] else { return }
        let fabric: UInt8? = fields.first { $0.tag == .context(254) }?.value.integer()
        let path = ConcreteEventPath(endpoint: endpoint, cluster: cluster, event: event)
        let unixMilliseconds = UInt64(clamping: Int64(clamping: moment.unixMicroseconds) + clockOffset) / 1000
        let number = events.append(
            path, priority: EventPriority(rawValue: definition.priority.rawValue), unixMilliseconds: unixMilliseconds,
            data: .structure(fields), fabricIndex: fabric)
        if events.needsReservation { unsaved.insert(.eventNumber) }
        for index in subscriptions.indices { subscriptions[index].noteEvent(path) }
        report(.event(endpoint: endpoint, cluster: cluster, event: event, number: number))
    }
}
