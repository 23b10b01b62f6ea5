public import MatterState

/// The sessions that are kept between processes.
/// The steps before a session with a node that may sleep.
protocol LinkGate: Sendable {
    /// Waits for the node if that is wanted.
    ///
    /// - Returns: whether it was waited for.
    func meet(_ node: NodeRecord, for kind: SlotKind) async throws -> Bool
    /// Keeps a node awake that was waited for.
    func keepAwake(_ link: NodeLink) async throws
}

/// The links to the nodes of a fabric, and the sessions that they keep.
public struct NodeLinks: FabricService {
    /// The fabric in use.
    package let context: FabricContext
    let pool: LinkPool
    /// `nil` if no node is waited for.
    let gate: (any LinkGate)?

    init(_ context: FabricContext, _ pool: LinkPool, gate: (any LinkGate)? = nil) {
        self.context = context
        self.pool = pool
        self.gate = gate
    }

    /// The link to a node; sessions are set up when it is first used.
    ///
    /// - Parameter kind: what the sessions are for; as the options say by default.
    /// - Throws: ``ControllerError`` if the node sleeps for longer than may be waited, ``RecordError`` without a fabric.
    public func link(to node: NodeRecord, for kind: SlotKind? = nil) async throws -> NodeLink {
        let kind = kind ?? options.sessions
        guard let gate, await !pool.has(node, for: kind) else { return try await pool.link(to: node, for: kind) }
        let hasWaited = try await gate.meet(node, for: kind)
        let link = try await pool.link(to: node, for: kind)
        if hasWaited { try await gate.keepAwake(link) }
        return link
    }

    /// Runs something with the link to a node, then ends its session: who works on many nodes must not hold the session
    /// slots of all of them. A session that is followed goes on.
    ///
    /// - Throws: as ``link(to:for:)``, and what the body throws.
    public func withLink<Result: Sendable>(
        to node: NodeRecord, _ body: @Sendable (NodeLink) async throws -> Result
    ) async throws -> Result {
        let link = try await link(to: node)
        do {
            let result = try await body(link)
            await link.closeIfIdle()
            return result
        } catch {
            await link.closeIfIdle()
            throw error
        }
    }

    /// Ends the session with a node in this process, also one that is followed.
    ///
    /// - Throws: as ``link(to:for:)``.
    public func close(to node: NodeRecord) async throws { try await link(to: node).close() }

    /// Runs something with nodes that the given addresses do not mean, and closes its sessions.
    package func withOtherNodes<Result: Sendable>(
        _ body: @Sendable (NodeLinks) async throws -> Result
    ) async throws -> Result {
        guard !options.addresses.isEmpty else { return try await body(self) }
        var settings = options
        settings.addresses = []
        let other = FabricContext(settings)
        let pool = LinkPool(other)
        let sleepers = gate.map { _ in SleeperService(other, pool) }
        func close() async {
            await pool.close()
            await sleepers?.close()
            await other.close()
        }
        do {
            let result = try await body(NodeLinks(other, pool, gate: sleepers))
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }

    /// Ends the session with a node and forgets how to resume it, so that the next one is set up from the beginning:
    /// after either side has got another certificate. The node is told, since it has our rights from the earlier one.
    package func endSession(with id: NodeID) async throws { try await pool.endSessions(with: id) }

    /// Forgets the sessions with a node that has forgotten us, or is not to be told.
    func abandonSessions(with id: NodeID) async throws { try await pool.abandonSessions(with: id) }
}

extension NodeLinks {
    /// The facts about a kept session.
    public struct KeptState: Sendable {
        /// The node, as its record has it.
        public let node: NodeRecord
        /// The address at which the node answered last.
        public let address: PeerAddress
        /// The time since its set-up, and since the node was last heard.
        public let age: Duration
        /// How long ago the node was last heard; `nil` if that is not known.
        public let silence: Duration?
        /// How long the node usually takes to acknowledge.
        public let roundTrip: Duration?
    }

    /// Why no session is kept for the next command; `nil` if sessions are.
    public var obstacleToKeeping: String? {
        guard options.keepsSessions else { return "sessions are closed at the end of this command" }
        guard let runtime = options.runtime else { return "XDG_RUNTIME_DIR names no folder" }
        do {
            try runtime.check()
            return nil
        } catch {
            return error.reason
        }
    }

    /// The kept sessions with nodes of the fabric, by node id.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged or not there.
    public func keptStates() throws -> [KeptState] {
        guard let store = try context.keptSessions(), let moment = store.now() else { return [] }
        let now = options.time.now
        let found = Dictionary(
            store.list(now: now).map { ($0.node, $0.session) }, uniquingKeysWith: { first, _ in first })
        return try context.nodes().sound().nodes.compactMap { node in
            found[node.nodeID].map { kept in
                KeptState(
                    node: node, address: kept.snapshot.parameters.address, age: kept.age(at: moment),
                    silence: kept.snapshot.lastHeard.map { now - $0 }, roundTrip: kept.snapshot.roundTrip?.smoothed)
            }
        }
    }

    /// The nodes, each with the time at which any command last heard it. Commands do not write that down: the records of
    /// their sessions tell.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func withLastSeen(_ nodes: [NodeRecord]) throws -> [NodeRecord] {
        let resumptions = try context.resumptions()
        let kept = Dictionary(
            ((try? keptStates()) ?? []).map { ($0.node.nodeID, $0.silence) }, uniquingKeysWith: { first, _ in first })
        let now = options.unixTime()
        return nodes.map { node in
            var seen = node
            let heard = kept[node.nodeID].flatMap { $0 }.map { now - $0.components.seconds }
            seen.seenAt = [node.seenAt, resumptions.savedAt(node.nodeID), heard].compactMap { $0 }.max()
            return seen
        }
    }

    /// Closes the kept session with a node.
    ///
    /// - Returns: `false` if there is none.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func dropSession(with node: NodeRecord, deadline: Instant) async throws -> Bool {
        try await link(to: node).endKept(deadline: deadline)
    }

    /// Sees to it that there is a session for the next command.
    ///
    /// - Returns: how the session came to be, and how long it took until the node had answered in it.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func warm(_ node: NodeRecord, deadline: Instant) async throws -> (rung: SessionRung, time: Duration) {
        let began = options.time.now
        return try await withLink(to: node) { link in
            let path = AttributePath(
                endpoint: 0, cluster: BasicInformation.id, attribute: BasicInformation.Attribute.dataModelRevision)
            _ = try await link.read([path], deadline: deadline)
            let session = try await link.connect(deadline: deadline)
            return (session.rung, link.time.now - began)
        }
    }
}
