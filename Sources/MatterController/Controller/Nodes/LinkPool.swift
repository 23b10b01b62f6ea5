import MatterState

/// The links of a process to the nodes of a fabric: one to each node, and another one for its subscriptions, so that a
/// command that loses its session does not end them.
actor LinkPool {
    private let context: FabricContext
    private var links: [Key: NodeLink] = [:]

    private struct Key: Hashable, Comparable {
        var node: NodeID
        var kind: SlotKind

        static func < (left: Key, right: Key) -> Bool {
            left.node == right.node
                ? left.kind == .short && right.kind == .long : left.node.rawValue < right.node.rawValue
        }
    }

    init(_ context: FabricContext) { self.context = context }

    /// The link to a node that is awake, for all that is known; sessions are set up when it is first used.
    ///
    /// - Parameter kind: what the sessions are for; as the options say by default.
    /// - Throws: as ``Controller/Options/admits`` for a node that is not to be reached.
    func link(to node: NodeRecord, for kind: SlotKind? = nil) throws -> NodeLink {
        let options = context.options
        try options.admits?(node)
        let key = Key(node: node.nodeID, kind: kind ?? options.sessions)
        if let link = links[key] { return link }
        var left: (@Sendable (SessionReference) -> Void)?
        if key.kind == .long { left = { [context] session in context.reports.end(session) } }
        let link = NodeLink(
            node: node, manager: try context.manager(),
            connector: { [context] in try context.nodeConnector(for: key.kind) }, onlyAddresses: options.addresses,
            nodes: try context.nodes(), slots: try context.slots(key.kind),
            kept: key.kind == .short ? try context.keptSessions() : nil, isFresh: options.isFresh,
            keepsSessions: options.keepsSessions, tell: options.sessionProgress,
            left: left,
            patience: NodeLink.Patience(
                usual: options.processing, afterAcknowledgement: options.patience,
                silence: options.silence.duration(for: node)),
            waits: options.waits, logger: options.logger)
        links[key] = link
        return link
    }

    /// Whether there is a link to a node.
    func has(_ node: NodeRecord, for kind: SlotKind) -> Bool { links[Key(node: node.nodeID, kind: kind)] != nil }

    /// Takes leave of a node that was not reached.
    func unlink(_ node: NodeRecord, for kind: SlotKind) async {
        await links.removeValue(forKey: Key(node: node.nodeID, kind: kind))?.close()
    }

    /// Ends the sessions with all nodes.
    func close() async {
        for key in links.keys.sorted() { await links[key]?.close() }
        links = [:]
    }

    /// Ends the sessions with a node and forgets how to resume them, so that the next one is set up from the beginning:
    /// after either side has got another certificate. The node is told, since it has our rights from the earlier one.
    func endSessions(with id: NodeID) async throws {
        for key in links.keys.sorted() where key.node == id {
            await links.removeValue(forKey: key)?.end(deadline: lastWord)
        }
        // A session that no link of this process has.
        if let node = try context.nodes().node(id), try context.keptSessions()?.has(id) ?? false {
            let link = try link(to: node, for: .short)
            await link.end(deadline: lastWord)
            links[Key(node: id, kind: .short)] = nil
        }
        try forgetSessions(with: id)
    }

    /// By when a session is given up whose node is told that it ends: another process may have it for that long.
    private var lastWord: Instant { context.options.time.now + .seconds(1) }

    /// Forgets the sessions with a node that has forgotten us, or is not to be told.
    func abandonSessions(with id: NodeID) async throws {
        for key in links.keys.sorted() where key.node == id { await links.removeValue(forKey: key)?.abandon() }
        try forgetSessions(with: id)
    }

    private func forgetSessions(with id: NodeID) throws {
        try context.keptSessions()?.remove(id)
        try context.resumptions().remove(id)
    }
}
