import MatterState
import Synchronization

/// Work that has to reach every node: what is kept of it, and doing it.
public struct JobService: FabricService {
    let context: FabricContext
    let links: NodeLinks

    init(_ context: FabricContext, _ links: NodeLinks) {
        self.context = context
        self.links = links
    }

    /// The jobs of the fabric.
    ///
    /// - Throws: if there is no fabric.
    func store() throws -> JobStore {
        let fabric = try context.fabric()
        return JobStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    var now: Int64 { options.unixTime() }

    /// The owner of what this process does.
    var owner: Job.Owner { .current(options.moment()) }

    // MARK: What is kept

    /// The jobs whose records are sound, by number, and what is wrong with the other records.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read, ``RecordError`` if there is no fabric.
    public func sound() throws -> (jobs: [Job], faults: [any Error]) { try store().sound() }

    /// A job by its number.
    ///
    /// - Throws: ``JobError`` `unknown`, or what is wrong with its record.
    public func job(_ id: UInt64) throws -> Job {
        let store = try store()
        guard let job = try store.job(id) else { throw store.unknown(id) }
        return job
    }

    /// Whether a process does the work of a job at this moment.
    ///
    /// - Throws: ``StoreError``.
    public func isRunning(_ job: Job) throws -> Bool {
        guard job.isOpen else { return false }
        return try !store().isIdle(job.id)
    }

    // MARK: The work

    /// Does what is left of a job, on several nodes at a time, within the sessions that each node grants. What came of each node is
    /// durable before the next step.
    ///
    /// - Parameters:
    ///   - time: for all of it; `nil` for the usual time for each node.
    ///   - tell: told of each node that was tried.
    /// - Returns: the job as it is then: nodes may still be pending.
    /// - Throws: ``JobError`` `running` or `ended`, ``StoreError``, `CancellationError`: what is done by then is kept.
    public func resume(
        _ id: UInt64, within time: Duration? = nil,
        tell: @escaping @Sendable (NodeRecord, Job.State) -> Void = { _, _ in }
    ) async throws -> Job {
        let store = try store()
        let after = try await store.alone(on: id) {
            let before = try job(id)
            guard before.isOpen else {
                // The process that ended it may not have come to this.
                try await store.removeStrayKeys()
                throw JobError(
                    .ended, "job \(id) is \(before.cancelledAt == nil ? "finished" : "cancelled")",
                    hint: .step("job.show", "\(id)"))
            }
            _ = try await store.note([.began(owner)], of: id, at: now)
            try await workThrough(id, store, deadline: time.map { options.time.now + $0 }, tell)
            return try await settle(id, store)
        }
        guard let after else { throw store.running(try job(id), hint: .step("job.show", "\(id)")) }
        return after
    }

    /// The pending nodes. One without a sound record is tried by its id.
    func records(of job: Job) throws -> [NodeRecord] {
        let nodes = try context.nodes()
        return job.workable(own: try context.fabric().nodeID).map { id in
            ((try? nodes.node(id)) ?? nil) ?? NodeRecord(nodeID: id)
        }
    }

    /// Does what jobs have left to do on a node that has just checked in, and is awake for a moment. Jobs that act under an identity
    /// which is not ours are left alone, and so is a job that another process works on.
    ///
    /// - Throws: ``StoreError``, `CancellationError`.
    public func workAtCheckIn(of id: NodeID) async throws {
        let store = try store()
        for job in try store.sound().jobs where !job.kind.borrowsIdentity && job.pending.contains(id) {
            _ = try await store.alone(on: job.id) {
                let patience = (try context.nodes().node(id)?.deliveryBudget ?? .zero) + options.processing
                try await workThrough(job.id, store, only: id, deadline: options.time.now + patience)
            }
        }
    }

    func work(
        on nodes: [NodeRecord], of job: Job, _ store: JobStore, deadline: Instant?,
        _ tell: @escaping @Sendable (NodeRecord, Job.State) -> Void
    ) async throws {
        guard !nodes.isEmpty else { return }
        let work = JobWork(
            kind: job.kind, context: context, links: links, borrowed: try borrowed(by: job, store),
            turn: try keyTurn(of: job, store), renewal: try renewal(of: job, store),
            known: job.rotation?.known ?? [], access: job.access)
        let answers = try await NodeAnswer.each(of: nodes) { node in
            // Another process may have cancelled it.
            guard try store.job(job.id)?.pending.contains(node.nodeID) ?? false else { return }
            let event = try await attempt(work, node, deadline ?? Budget(nil).deadline(for: node))
            let after = try await store.note([event], of: job.id, at: now)
            if let entry = after.entries.first(where: { $0.node == node.nodeID }) { tell(node, entry.state) }
        }
        // The answers of nodes are noted: only the notes can have failed.
        if let failure = answers.lazy.compactMap(\.failure).first { throw failure }
    }

    private func attempt(_ work: JobWork, _ node: NodeRecord, _ deadline: Instant) async throws -> Job.Event {
        do {
            switch try await work.perform(on: node, deadline: deadline) {
            case .done: return .done(node.nodeID)
            case .refused(let error): return .refused(node.nodeID, Job.Reason(error))
            }
        } catch {
            try Task.checkCancellation()
            return .failed(node.nodeID, Job.Reason(error))
        }
    }

    private func borrowed(by job: Job, _ store: JobStore) throws -> OperationalCredentials? {
        guard job.kind.borrowsIdentity, let identity = job.borrowed, let key = try store.identityKey(of: job.id) else {
            return nil
        }
        let fabric = try context.fabric()
        let chain = try OperationalChain(
            noc: identity.noc, icac: identity.intermediate, root: try MatterCertificate(tlv: fabric.root))
        do {
            return try OperationalCredentials(
                chain: chain, key: try P256PrivateKey(scalar: key), ipkEpochKey: try context.credentials().ipkEpochKey)
        } catch {
            // Without it, nodes that admit us already are done all the same.
            return nil
        }
    }

    /// Puts away what a job does not need any more: the identity once no node is pending, and the fabric that it has left.
    private func settle(_ id: UInt64, _ store: JobStore) async throws -> Job {
        var job = try job(id)
        if job.pending.isEmpty, job.borrowed != nil { job = try await store.putAwayIdentity(of: id, at: now) }
        try store.putAwayKeys(of: job)
        if job.leavesFabric { try await fabrics.remove(try context.fabric().name, runtime: options.runtime) }
        try await MemberService(context, links).finish(job)
        return job
    }

    /// Lets a job go on no more. Nodes that are done stay as they are.
    ///
    /// - Throws: ``JobError`` `unknown` or `ended`, ``StoreError``.
    @discardableResult
    public func cancel(_ id: UInt64) async throws -> Job {
        let store = try store()
        guard try job(id).isOpen else {
            try await store.removeStrayKeys()
            throw JobError(.ended, "job \(id) is finished or cancelled already", hint: .step("job.show", "\(id)"))
        }
        let job = try await store.note([.cancelled], of: id, at: now)
        try store.putAwayKeys(of: job)
        // A process that works on it puts the identity away when it stops.
        guard job.borrowed != nil else { return job }
        return try await store.alone(on: id) { try await store.putAwayIdentity(of: id, at: now) } ?? job
    }
}
