public import MatterState

/// Working beside another program on its fabric, under a node id of our own.
extension NeighbourService {
    /// The smallest id of the upper half of those that a node may have (Matter core specification, 2.5.5.1).
    static let leastOwnID: UInt64 = 0x7FFF_FFF8_0000_0000

    /// An id of our own that no other node has, as far as that is known.
    static func ownID(apartFrom taken: Set<NodeID>, _ random: any RandomSource) throws -> NodeID {
        while true {
            let id = NodeID(try random.integer(UInt64.self))
            if id.rawValue >= leastOwnID, id.isOperational, !taken.contains(id) { return id }
        }
    }

    /// The record here of a fabric that was joined; `nil` if none was, or it was taken over.
    ///
    /// - Throws: ``NeighbourError`` `takenOver` if the record of that name acts with the other program's id.
    private func joined(_ fabric: NeighbourFabric, named name: String) throws -> FabricRecord? {
        guard let record = try fabrics.fabric(named: name), record.compressedFabricID == fabric.compressedFabricID
        else { return nil }
        guard record.nodeID != fabric.nodeID else {
            throw NeighbourError(
                .takenOver, "the fabric '\(name)' was taken over: it acts with the node id of the other program",
                hint: .step("neighbour.taken-over", name))
        }
        return record
    }

    /// Comes onto the fabric of another program beside it, with a node id of our own. Nothing is sent: what the nodes have to be told
    /// is a job, which `JobService.resume` does, under the other program's id.
    ///
    /// A fabric that was joined before gets the nodes that are new.
    ///
    /// - Parameter name: of the fabric here.
    /// - Returns: the fabric, the nodes that are new, and the job; `nil` if every node lets us in already.
    /// - Throws: ``NeighbourError`` `takenOver`, ``CredentialsError`` without the authority's key, ``RecordError`` if another fabric
    ///   has the name, ``StoreError``.
    public func join(_ fabric: NeighbourFabric, name: String) async throws -> (
        fabric: FabricRecord, nodes: [NodeRecord], job: Job?
    ) {
        let authority = fabric.local.authority
        let ipk = fabric.local.credentials.ipkEpochKey
        let record: FabricRecord
        if let known = try joined(fabric, named: name) {
            record = known
        } else {
            let own = try Self.ownID(apartFrom: Set(fabric.nodes.map(\.nodeID) + [fabric.nodeID]), options.random)
            let local = try LocalFabric(
                continuing: authority, nodeID: own, cats: [], ipk: ipk, validity: context.validity,
                random: options.random)
            record = try await fabrics.add(local, name: name, vendorID: fabric.vendorID, nodeIDs: .random)
        }
        let added = try await addNodes(of: fabric, to: record)
        let jobs = JobStore(options.state, fabric: name, identity: record.compressedFabricID)
        try await jobs.removeStrayKeys()
        let known = try jobs.sound().jobs
        let nodes = fabric.nodes.map(\.nodeID).filter { $0 != record.nodeID && !Self.isJoined($0, known) }
        guard !nodes.isEmpty else {
            try await putAwayIdentities(known, jobs)
            return (record, added, nil)
        }
        let owner = Job.Owner.current(options.moment())
        let borrowed = try LocalFabric(
            continuing: authority, nodeID: fabric.nodeID, cats: fabric.tags, ipk: ipk, validity: context.validity,
            random: options.random
        ).credentials
        let identity = Job.Borrowed(
            nodeID: fabric.nodeID, noc: borrowed.noc.tlv, intermediate: borrowed.icac?.tlv)
        let now = options.unixTime()
        guard let open = known.last(where: { $0.kind == .join && !$0.pending.isEmpty }) else {
            let job = try await jobs.add(key: borrowed.key.scalar) { id in
                Job(id: id, kind: .join, owner: owner, nodes: nodes, borrowed: identity, at: now)
            }
            return (record, added, job)
        }
        // A process that works on it has the identity already.
        _ = try await jobs.alone(on: open.id) {
            try await jobs.lend(identity, key: borrowed.key.scalar, to: open.id, at: now)
        }
        return (record, added, try await jobs.note([.added(nodes)], of: open.id, at: now))
    }

    /// Puts the other program's identity away where a process ended when every node was done, and before it did so itself.
    private func putAwayIdentities(_ known: [Job], _ jobs: JobStore) async throws {
        for job in known where job.kind == .join && job.pending.isEmpty && job.isOpen {
            _ = try await jobs.alone(on: job.id) {
                try await jobs.putAwayIdentity(of: job.id, at: options.unixTime())
            }
        }
    }

    /// Whether the last job that was about a node has let us in there.
    private static func isJoined(_ node: NodeID, _ jobs: [Job]) -> Bool {
        for job in jobs.reversed() {
            guard let entry = job.entries.first(where: { $0.node == node }) else { continue }
            if case .done = entry.state { return job.kind == .join }
            return false
        }
        return false
    }

    /// Makes the job that takes our entries out of the nodes of a fabric that was joined. Once it is done on all of them, the fabric is
    /// removed here.
    ///
    /// - Parameter name: of the fabric here.
    /// - Throws: ``NeighbourError`` `notJoined` or `takenOver`, ``JobError`` `running`, ``StoreError``.
    public func leave(_ fabric: NeighbourFabric, name: String) async throws -> (fabric: FabricRecord, job: Job) {
        guard let record = try joined(fabric, named: name) else {
            throw NeighbourError(
                .notJoined, "the fabric of the other program is not here as '\(name)'", hint: .step("fabric.see-others")
            )
        }
        let jobs = JobStore(options.state, fabric: name, identity: record.compressedFabricID)
        let now = options.unixTime()
        for job in try jobs.sound().jobs where job.kind == .join && job.isOpen {
            let ended = try await jobs.alone(on: job.id) {
                try await jobs.note([.cancelled], of: job.id, at: now)
                return try await jobs.putAwayIdentity(of: job.id, at: now)
            }
            if ended == nil { throw jobs.running(job, hint: .step("job.cancel", "\(job.id)")) }
        }
        let store = NodeStore(options.state, fabric: name, identity: record.compressedFabricID)
        let nodes = try store.sound().nodes.map(\.nodeID) + fabric.nodes.map(\.nodeID)
        if let open = try jobs.sound().jobs.last(where: { $0.kind == .leave && $0.isOpen }) {
            return (record, try await jobs.note([.added(nodes)], of: open.id, at: now))
        }
        let owner = Job.Owner.current(options.moment())
        let job = try await jobs.add { id in Job(id: id, kind: .leave, owner: owner, nodes: nodes, at: now) }
        return (record, job)
    }
}
