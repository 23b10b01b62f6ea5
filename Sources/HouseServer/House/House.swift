import Logging
import MatterController

/// The house as the server knows it: follows every node, keeps every attribute, and tells those who listen.
actor House {
    /// The part of the house that is followed, and how.
    struct Settings: Sendable {
        /// The nodes that are followed; all, if `nil`.
        var includes: (@Sendable (NodeRecord) -> Bool)?
        /// The share that a node belongs to; `nil` for none.
        var share: @Sendable (NodeRecord) -> String? = { _ in nil }
        /// The longest silence that nodes are asked for.
        var silence = Duration.seconds(60)
    }

    /// How long the end waits for what is to be kept.
    private static let keeping = Duration.milliseconds(200)

    nonisolated let controller: Controller
    nonisolated let logger: Logger
    nonisolated let time: any TimeSource
    let settings: Settings
    private(set) var board: HouseBoard
    private(set) var followers: [NodeID: Task<Void, Never>] = [:]
    private var boxes: [Int: Box] = [:]
    /// Those who follow nodes by the subscriptions of the house.
    var sharers: [NodeID: [Int: AsyncStream<SubscriptionEvent>.Continuation]] = [:]
    var lastSharer = 0
    private var lastBox = 0
    private var watch: Task<Void, Never>?
    private var interviews: [NodeID: Task<Void, Never>] = [:]
    /// When a node last did not answer.
    private var doubted: [NodeID: Instant] = [:]
    /// The shares that are not followed here.
    var resting: Set<String> = []
    /// The nodes that are not followed for that.
    var rested: Set<NodeID> = []
    /// The documents about the network, as they were told last.
    var network: [NetworkNews: [UInt8]] = [:]
    /// Draws the map, and tells it.
    var drawsMap: (@Sendable () async -> Void)?
    /// Waits until the map may be drawn again.
    var redrawing: Task<Void, Never>?
    /// The server's description of itself.
    var wantsInfo: (@Sendable () async -> [UInt8])?
    private(set) var counts = HouseCounts()

    /// The messages that wait for one client.
    private final class Box {
        var outbox = Outbox()
        var interests: NetworkInterests = []
        var reader: CheckedContinuation<Void, Never>?
        var isClosed = false
    }

    init(_ controller: Controller, settings: Settings = Settings(), time: any TimeSource = SystemTime(), logger: Logger)
    {
        self.controller = controller
        self.settings = settings
        kept = KeptNodes(controller, logger: logger)
        self.time = time
        self.logger = logger
        let names = EventEncoding(catalogue: .standard)
        board = HouseBoard(
            since: time.now, isSound: { path, value in ValueCheck.standard.isSound(path, value) },
            encodeEvent: { node, report, event in names.encoded(node, report, event) })
    }

    // MARK: Nodes

    /// Begins to follow the nodes that there are, and those that come.
    func start() throws {
        try takeRecords()
        watch = time.start { [weak self, time] in
            while !Task.isCancelled {
                do { try await time.sleep(for: .seconds(1)) } catch { return }
                await self?.lookForRecords()
                await self?.keepValues()
            }
        }
    }

    private var lastSeen: NodeStore.Mark?
    private let kept: KeptNodes

    /// Keeps the attributes of nodes that have others than were kept, for the next start.
    private func keepValues() async {
        for (id, node) in board.takeToKeep(all: false) { await kept.keep(id, node) }
    }

    private func lookForRecords() {
        guard let store = try? controller.context.nodes(), store.mark() != lastSeen else { return }
        do { try takeRecords() } catch { logger.warning("the nodes cannot be read: \(error)") }
    }

    /// Looks again which nodes there are.
    func takeRecords() throws {
        let store = try controller.context.nodes()
        lastSeen = store.mark()
        var (records, faults) = try store.sound()
        for fault in faults { logger.warning("\(fault)") }
        if let includes = settings.includes { records = records.filter(includes) }
        let (added, removed, news) = board.take(records)
        for id in removed {
            endSharing(id)
            followers.removeValue(forKey: id)?.cancel()
            kept.forget(id)
            controller.cameras.forget(id)
        }
        tell(news)
        for id in added {
            guard let record = board.nodes[id]?.record else { continue }
            board.restore(id, kept.node(id) ?? NodeSeed.node(of: record))
        }
        arrange(added: Set(added))
    }

    /// Takes notice that a node did not answer: its subscription may be dead, too, and is set up again.
    func doubt(_ id: NodeID) {
        guard let record = board.nodes[id]?.record, let follower = followers[id] else { return }
        let now = time.now
        guard doubted[id].map({ now - $0 > .seconds(10) }) ?? true else { return }
        doubted[id] = now
        follower.cancel()
        follow(record)
    }

    /// Stops following a node, before it is removed.
    func leave(_ id: NodeID) {
        endSharing(id)
        followers.removeValue(forKey: id)?.cancel()
        interviews.removeValue(forKey: id)?.cancel()
    }

    /// Takes the removal of a node.
    func forget(_ id: NodeID) {
        leave(id)
        tell(board.remove(id))
        kept.forget(id)
        controller.cameras.forget(id)
    }

    func follow(_ record: NodeRecord) {
        let id = record.nodeID
        let request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: UInt16(clamping: settings.silence.components.seconds),
            attributePaths: [AttributePath()], eventPaths: [EventPath(isUrgent: true)], isFabricFiltered: false)
        followers[id] = time.start { [weak self, controller, time, logger] in
            var attempt = 0
            while !Task.isCancelled {
                do {
                    for try await event in controller.subscriptions.follow(request, of: record, isPatient: true) {
                        guard let self else { return }
                        if case .established = event { attempt = 0 }
                        await self.take(event, of: id)
                    }
                    return
                } catch {
                    guard !Task.isCancelled else { return }
                    logger.warning("\(record.title) cannot be followed: \(error)")
                    await self?.end(id, "\(error)")
                }
                attempt += 1
                do { try await time.sleep(for: .seconds(min(300, 5 << min(attempt, 6)))) } catch { return }
            }
        }
    }

    private func take(_ event: SubscriptionEvent, of id: NodeID) {
        // The last words of a subscription that was ended.
        guard followers[id] != nil else { return }
        if case .lost(let error, let delay) = event {
            counts.losses += 1
            logger.info("the subscription of node \(id.rawValue) is lost, another try in \(delay): \(error)")
        } else if case .report = event {
            counts.reports += 1
        }
        carryOut(board.take(event, of: id, at: time.now, unix: unixMilliseconds))
        if let sharers = sharers[id] { for sharer in sharers.values { sharer.yield(event) } }
    }

    func end(_ id: NodeID, _ reason: String) {
        carryOut(board.end(id, reason))
    }

    private func carryOut(_ outcome: HouseBoard.Outcome) {
        tell(outcome.news)
        for case .interview(let id, let added) in outcome.work where interviews[id] == nil {
            interviews[id] = time.start { [weak self] in
                do {
                    try await self?.interview(id, added: added)
                } catch {
                    self?.logger.warning("node \(id.rawValue) has changed and cannot be read: \(error)")
                }
                await self?.endInterview(id)
            }
        }
    }

    private func endInterview(_ id: NodeID) { interviews[id] = nil }

    private var unixMilliseconds: Int64 { Int64(clamping: time.unixMicroseconds / 1000) }

    /// The node of an id.
    ///
    /// - Throws: ``InterfaceError`` if there is none.
    func node(_ id: NodeID) throws(InterfaceError) -> HouseBoard.Node {
        guard let node = board.nodes[id] else {
            throw InterfaceError(.nodeNotExists, "Node \(id.rawValue) does not exist")
        }
        return node
    }

    /// Reads all of a node again.
    func interview(_ id: NodeID, added: Set<UInt16> = []) async throws {
        let record = try node(id).record
        let link = try await controller.links.link(to: record)
        let result = try await link.read([AttributePath()], isFabricFiltered: false, deadline: time.now + .seconds(60))
        // The command line is to know new devices behind a bridge as well.
        do {
            _ = try await controller.nodes.refreshed(record, deadline: time.now + .seconds(30))
        } catch { logger.debug("\(error)") }
        tell(board.takeInterview(id, result, added: added, at: time.now, unix: unixMilliseconds).news)
    }

    /// Takes values that were read by themselves.
    func takeReading(_ id: NodeID, _ result: ReadResult) { carryOut(board.takeReading(id, result, at: time.now)) }

    /// Waits until a node can be shown, but not for long.
    func waitForNode(_ id: NodeID, atMost patience: Duration) async {
        let end = time.now + patience
        while time.now < end, !(board.nodes[id]?.isSettled ?? false) {
            do { try await time.sleep(for: .milliseconds(20)) } catch { return }
        }
    }

    /// Waits until every node has answered or been silent once, but not for long.
    func waitUntilSettled(atMost patience: Duration) async {
        let end = time.now + patience
        while time.now < end, !board.isSettled {
            do { try await time.sleep(for: .milliseconds(20)) } catch { return }
        }
    }

    // MARK: Clients

    private func tell(_ news: [HouseNews]) {
        guard !news.isEmpty else { return }
        if news.contains(where: Self.movesMap) { redraw() }
        for box in boxes.values where box.outbox.isListening {
            for piece in news { box.outbox.take(piece, nodes: board.nodes.count) }
            wake(box)
        }
    }

    /// Whether a client listens that has asked for a document.
    func isWanted(_ news: NetworkNews) -> Bool {
        boxes.values.contains { $0.outbox.isListening && $0.interests.includes(news) }
    }

    /// Notes what a client asks for: from then on it is told.
    func note(_ number: Int, _ interests: NetworkInterests) { boxes[number]?.interests.formUnion(interests) }

    /// Tells a document to the clients that have asked for it.
    func tell(_ news: NetworkNews, _ json: [UInt8]) {
        network[news] = json
        for box in boxes.values where box.outbox.isListening && box.interests.includes(news) {
            box.outbox.take(.network(news), nodes: board.nodes.count)
            wake(box)
        }
    }

    /// Tells what a camera has called back to the clients that have begun a session with one.
    func tell(_ callback: CameraCallback) {
        let news = HouseNews.camera(callback.node, CameraEncoding.callback(callback))
        for box in boxes.values where box.outbox.isListening && box.interests.contains(.cameras) {
            box.outbox.take(news, nodes: board.nodes.count)
            wake(box)
        }
    }

    /// Tells all who listen that the server's own state has changed.
    func tellInfo() { tell([.infoUpdated]) }

    private func wake(_ box: Box) {
        box.reader?.resume()
        box.reader = nil
    }

    /// Opens a box for a client.
    func open() -> Int {
        lastBox += 1
        boxes[lastBox] = Box()
        counts.clients = boxes.count
        return lastBox
    }

    /// Closes the box of a client.
    func close(_ number: Int) {
        guard let box = boxes.removeValue(forKey: number) else { return }
        box.isClosed = true
        wake(box)
        counts.clients = boxes.count
    }

    /// Queues an answer to a client.
    func answer(_ number: Int, _ message: [[UInt8]]) {
        guard let box = boxes[number] else { return }
        box.outbox.add(message)
        wake(box)
    }

    /// Begins to tell a client: all nodes, and from then on what changes.
    ///
    /// - Returns: whether it had not begun before.
    func listen(_ number: Int, _ wrap: ([[UInt8]]) -> [[UInt8]]) -> Bool {
        guard let box = boxes[number], !box.outbox.isListening else { return false }
        let shown = board.sorted.filter { !$0.attributes.isEmpty }
        box.outbox.begin(with: wrap(shown.map { NodeEncoding.object($0) }), of: shown.map(\.record.nodeID))
        wake(box)
        return true
    }

    /// The next message to a client; waits for it.
    ///
    /// - Returns: `nil` once its box is closed.
    func next(_ number: Int) async -> [[UInt8]]? {
        while let box = boxes[number], !box.isClosed {
            if let item = box.outbox.next() {
                if let message = await rendered(item) { return message }
                continue
            }
            await withCheckedContinuation { box.reader = $0 }
        }
        return nil
    }

    /// Tells all clients that the server ends, after what waits for them.
    func announceEnd() { tell([.shutdown]) }

    /// Whether everything was taken that waits for clients.
    var isDrained: Bool { boxes.values.allSatisfy { $0.outbox.count == 0 } }

    private func rendered(_ item: Outbox.Item) async -> [[UInt8]]? {
        switch item {
        case .message(let parts): return parts
        case .news(let news):
            switch news {
            case .nodeAdded(let id), .nodeUpdated(let id):
                guard let node = board.nodes[id] else { return nil }
                let name = if case .nodeAdded = news { "node_added" } else { "node_updated" }
                return EventMessage.whole(name, NodeEncoding.object(node))
            case .nodeRemoved(let id): return EventMessage.whole("node_removed", Array("\(id.rawValue)".utf8))
            case .endpointAdded(let id, let endpoint): return EventMessage.endpoint("endpoint_added", id, endpoint)
            case .endpointRemoved(let id, let endpoint): return EventMessage.endpoint("endpoint_removed", id, endpoint)
            case .attribute(let id, let path):
                guard let value = board.nodes[id]?.attributes[path] else { return nil }
                return EventMessage.attribute(id, path, ValueEncoding.text(value))
            case .event(_, let event): return EventMessage.whole("node_event", event)
            case .camera(_, let callback): return EventMessage.whole("webrtc_callback", callback)
            case .infoUpdated:
                guard let info = await wantsInfo?() else { return nil }
                return EventMessage.whole("server_info_updated", info)
            case .network(let news): return network[news].map { EventMessage.whole(news.event, $0) }
            case .shutdown: return EventMessage.whole("server_shutdown", Array("{}".utf8))
            }
        }
    }

    /// Tells of a node that only exists here.
    func tellTestNode(_ node: [UInt8]) {
        for box in boxes.values where box.outbox.isListening {
            box.outbox.add(EventMessage.whole("node_added", node))
            wake(box)
        }
    }

    func setInfo(_ info: @escaping @Sendable () async -> [UInt8]) { wantsInfo = info }

    /// The objects of nodes.
    func nodes(where condition: (HouseBoard.Node) -> Bool) -> [[UInt8]] {
        board.sorted.filter(condition).map { NodeEncoding.object($0) }
    }

    func noteCommand(_ name: String, _ outcome: String) { counts.commands[[name, outcome], default: 0] += 1 }

    func noteRoundTrip(_ time: Duration) { counts.roundTrips.note(time) }

    /// Stops following.
    func close() async {
        watch?.cancel()
        redrawing?.cancel()
        for id in Array(sharers.keys) { endSharing(id) }
        for task in followers.values { task.cancel() }
        for task in interviews.values { task.cancel() }
        followers = [:]
        let end = time.now + Self.keeping
        for (id, node) in board.takeToKeep(all: true) where time.now < end { await kept.keep(id, node) }
        for number in Array(boxes.keys) { close(number) }
    }
}
