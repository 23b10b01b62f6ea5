import MatterState

/// Our own part of a rotation, and the way from phase to phase.
extension JobService {
    /// Does what is left of a job, phase by phase.
    ///
    /// - Parameter only: the node that is worked on; `nil` for all.
    func workThrough(
        _ id: UInt64, _ store: JobStore, only node: NodeID? = nil, deadline: Instant?,
        _ tell: @escaping @Sendable (NodeRecord, Job.State) -> Void = { _, _ in }
    ) async throws {
        while true {
            let job = try await prepare(try job(id), store)
            let nodes = try records(of: job).filter { node == nil || $0.nodeID == node }
            try await work(on: nodes, of: job, store, deadline: deadline, tell)
            guard try await advance(id, store, deadline: deadline, tell) else { return }
        }
    }

    // MARK: Before the nodes

    /// Brings the list of nodes up to date, and uses the key that the phase says; durable before a node is told anything.
    private func prepare(_ job: Job, _ store: JobStore) async throws -> Job {
        guard job.isRotating else { return job }
        let job = try await reconcile(job, store)
        if let turn = try keyTurn(of: job, store) { try await use(turn, job) }
        return job
    }

    /// A device that was commissioned since takes part, and one that has left does not.
    private func reconcile(_ job: Job, _ store: JobStore) async throws -> Job {
        let present = try nodes(for: job)
        let known = Set(job.entries.map(\.node))
        let gone = known.subtracting(present)
        let new = job.kind.turnsKeys ? present.subtracting(known) : []
        guard !gone.isEmpty || !new.isEmpty else { return job }
        return try await store.note([.rotated(.dropped(gone.sorted())), .added(new.sorted())], of: job.id, at: now)
    }

    /// The nodes that a rotation has to reach, with those that may have joined: what is written of them is so before they get a key.
    private func nodes(for job: Job) throws -> Set<NodeID> {
        let own = try context.fabric().nodeID
        let (nodes, faults) = try context.nodes().sound()
        // A node whose record is damaged needs the key as well.
        if let fault = faults.first { throw fault }
        let ids = Set(nodes.map(\.nodeID)).subtracting([own])
        switch job.kind {
        case .groupKey:
            let groups = try context.groups().sound().groups.filter { $0.keySet == job.rotation?.keySet }
            return ids.intersection(groups.flatMap { $0.members.map(\.nodeID) })
        case .certificates: return ids.union([own])
        case .identityKey, .join, .leave, .admit, .expel, .access:
            return ids.union(try context.journal().all().map(\.nodeID))
        }
    }

    /// The keys of a rotation; `nil` for other work, or if they are gone.
    func keyTurn(of job: Job, _ store: JobStore) throws -> KeyTurn? {
        guard job.kind.turnsKeys, let rotation = job.rotation, let secret = try store.identityKey(of: job.id) else {
            return nil
        }
        return KeyTurn(rotation, secret: secret)
    }

    private func use(_ turn: KeyTurn, _ job: Job) async throws {
        switch job.kind {
        case .identityKey:
            let fabric = try context.fabric()
            guard try fabrics.credentials(of: fabric).ipkEpochKey != turn.own else { return }
            try await fabrics.replaceIdentityKey(
                of: fabric.name, with: turn.own, madeAt: turn.rotation.usesNew ? job.madeAt : nil)
            context.forgetCredentials()
        case .groupKey:
            try await context.groups().use(
                turn.own, startingAt: turn.rotation.slots.first?.start, ofSet: turn.rotation.keySet)
        case .join, .leave, .certificates, .admit, .expel, .access: break
        }
    }

    // MARK: After the nodes

    /// Takes the step that follows once all nodes are done.
    ///
    /// - Returns: whether there is work on nodes again.
    private func advance(
        _ id: UInt64, _ store: JobStore, deadline: Instant?,
        _ tell: @escaping @Sendable (NodeRecord, Job.State) -> Void
    ) async throws -> Bool {
        let before = try job(id)
        guard before.isRotating else { return false }
        let own = try context.fabric().nodeID
        if before.kind == .certificates, before.pending == [own] {
            let event = await renewOwn(before, deadline: deadline)
            let after = try await store.note([event], of: id, at: now)
            if let entry = after.entries.first(where: { $0.node == own }) { tell(NodeRecord(nodeID: own), entry.state) }
        }
        // A device that is being commissioned may have the key of this phase.
        _ = try await reconcile(before, store)
        let after = try await store.note([.rotated(.advanced)], of: id, at: now)
        guard after.rotation?.phase != before.rotation?.phase else { return false }
        guard after.rotation?.phase == .finished else { return true }
        try store.putAwayKeys(of: after)
        return false
    }

    // MARK: A device that has just joined

    /// Gives a device that was commissioned during a rotation the keys as they stand then. A job that another process works on is left to
    /// it.
    func catchUp(with id: NodeID) async throws {
        let store = try store()
        for job in try store.sound().jobs where job.isRotating && job.kind.turnsKeys {
            _ = try await store.alone(on: job.id) {
                let patience = options.processing
                try await workThrough(job.id, store, only: id, deadline: options.time.now + patience)
            }
        }
    }
}

extension JobStore {
    /// Puts away the keys of a rotation that is over.
    func putAwayKeys(of job: Job) throws {
        guard job.kind.turnsKeys, !job.isRotating else { return }
        try removeKey(of: job.id)
    }
}
