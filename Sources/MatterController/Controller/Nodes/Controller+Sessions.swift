public import MatterState

/// The sessions that are kept between processes.
extension Controller {
    /// What is known of a kept session.
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
        guard let store = try keptSessions(), let moment = store.now() else { return [] }
        let now = options.time.now
        let found = Dictionary(
            store.list(now: now).map { ($0.node, $0.session) }, uniquingKeysWith: { first, _ in first })
        return try nodes().sound().nodes.compactMap { node in
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
        let resumptions = ResumptionStore(options.state, fabric: try fabric().name)
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
