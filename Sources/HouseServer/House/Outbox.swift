import MatterController

/// Everything that is to be sent to one client, in order. Pure.
///
/// A value that changes again before it was sent is sent once, as it is then, and so is a node. Events of devices and what cameras call back are never
/// joined: the oldest go when a client does not read for too long.
struct Outbox: Sendable {
    /// How many events of devices wait at least.
    private static let leastEvents = 1000

    enum Item: Sendable, Equatable {
        /// Parts of a message.
        case message([[UInt8]])
        case news(HouseNews)
    }

    /// Whether the client is told of changes.
    private(set) var isListening = false
    private var items: [Item] = []
    /// Where the items begin that were not taken.
    private var start = 0
    /// The nodes that the client knows.
    private var known: Set<NodeID> = []
    private var changed: [NodeID: Set<CachePath>] = [:]
    private var updated: Set<NodeID> = []
    private var events = 0
    private var isInfoPending = false
    private var network: Set<NetworkNews> = []

    /// How many messages wait.
    var count: Int { items.count - start }

    /// Adds an answer.
    mutating func add(_ message: [[UInt8]]) { items.append(.message(message)) }

    /// Adds the state of the house, after which all changes are told.
    ///
    /// - Parameter nodes: those that are in it.
    mutating func begin(with snapshot: [[UInt8]], of nodes: some Sequence<NodeID>) {
        add(snapshot)
        known = Set(nodes)
        isListening = true
    }

    /// Takes a change of the house.
    ///
    /// - Parameter nodes: how many nodes there are.
    mutating func take(_ news: HouseNews, nodes: Int) {
        guard isListening else { return }
        var news = news
        switch news {
        case .attribute(let node, let path):
            // It comes with the node.
            guard known.contains(node), !updated.contains(node), changed[node, default: []].insert(path).inserted else {
                return
            }
        case .nodeUpdated(let node), .nodeAdded(let node):
            guard updated.insert(node).inserted else { return }
            news = known.insert(node).inserted ? .nodeAdded(node) : .nodeUpdated(node)
        case .nodeRemoved(let node):
            changed[node] = nil
            updated.remove(node)
            guard known.remove(node) != nil else { return }
        case .endpointAdded(let node, _), .endpointRemoved(let node, _):
            // Clients end at what they are told of a node that they do not know.
            guard known.contains(node) else { return }
        case .event(let node, _), .camera(let node, _):
            guard known.contains(node) else { return }
            events += 1
            if events > max(Self.leastEvents, 20 * nodes) { dropOldestEvent() }
        case .infoUpdated:
            guard !isInfoPending else { return }
            isInfoPending = true
        case .network(let news):
            guard network.insert(news).inserted else { return }
        case .shutdown: break
        }
        items.append(.news(news))
    }

    private mutating func dropOldestEvent() {
        let oldest = items[start...].firstIndex { item in
            switch item {
            case .news(.event), .news(.camera): true
            default: false
            }
        }
        guard let oldest else { return }
        items.remove(at: oldest)
        events -= 1
    }

    /// The next item; `nil` if there is none.
    mutating func next() -> Item? {
        while start < items.count {
            let item = items[start]
            start += 1
            if start == items.count {
                items.removeAll(keepingCapacity: items.capacity < 256)
                start = 0
            } else if start > 1024 {
                items.removeFirst(start)
                start = 0
            }
            switch item {
            case .news(.attribute(let node, let path)):
                guard changed[node]?.remove(path) != nil else { continue }
            case .news(.nodeUpdated(let node)), .news(.nodeAdded(let node)):
                guard updated.remove(node) != nil else { continue }
                // They are in it.
                changed[node] = nil
            case .news(.event), .news(.camera): events -= 1
            case .news(.infoUpdated): isInfoPending = false
            case .news(.network(let news)): network.remove(news)
            default: break
            }
            return item
        }
        return nil
    }
}
