public import MatterState

/// The thing that is exchanged on every node.
public enum RotationPlan: Sendable {
    /// The identity protection key, with which nodes are found (Matter core specification, 4.14.2.6.1).
    case identityKey
    /// The certificates of the nodes, and then our own.
    case certificates
    /// The key of a group, and of all groups that share it.
    case groupKey(GroupRecord)

    var kind: Job.Kind {
        switch self {
        case .identityKey: .identityKey
        case .certificates: .certificates
        case .groupKey: .groupKey
        }
    }

    var keySet: UInt16 { if case .groupKey(let group) = self { group.keySet } else { 0 } }
}

/// A node as a rotation finds it.
public struct RotationOutlook: Sendable {
    /// Administrators that are not ours, by subject of the access control list.
    public let foreign: [NodeID]
    /// How many keys the node has in the set; `nil` for a rotation of certificates.
    public let keys: Int?
    /// Since when its certificate is valid, in seconds since 1970; `nil` for a rotation of keys.
    public let certificateSince: Int64?
}

/// Keys and certificates that age: the jobs that exchange them on every node.
public struct RotationService: FabricService {
    let context: FabricContext
    let links: NodeLinks
    let jobs: JobService

    init(_ context: FabricContext, _ links: NodeLinks, _ jobs: JobService) {
        self.context = context
        self.links = links
        self.jobs = jobs
    }

    // MARK: Looking

    /// The nodes that a rotation reaches.
    ///
    /// - Throws: ``StoreError``, ``RecordError`` without a fabric.
    public func nodes(of plan: RotationPlan) throws -> [NodeRecord] {
        let own = try context.fabric().nodeID
        let nodes = try context.nodes().sound().nodes.filter { $0.nodeID != own }
        guard case .groupKey(let group) = plan else { return nodes }
        let groups = try context.groups().sound().groups.filter { $0.keySet == group.keySet }
        let members = Set(groups.flatMap { $0.members.map(\.nodeID) })
        return nodes.filter { members.contains($0.nodeID) }
    }

    /// Looks at each node of a rotation, and changes nothing.
    ///
    /// - Returns: the answers in the order of the nodes; the failure of one costs the others nothing.
    /// - Throws: ``JobError`` `serviceKeys` if keys or certificates of the fabric are not ours to give, `CancellationError`.
    public func look(_ plan: RotationPlan, budget: Budget) async throws -> [NodeAnswer<RotationOutlook>] {
        try checkFabric(plan)
        let ours = try Administrators(of: context)
        return try await NodeAnswer.each(of: try nodes(of: plan)) { [links] node in
            let deadline = budget.deadline(for: node)
            return try await links.withLink(to: node) { link in
                var foreign: Set<NodeID> = []
                if plan.kind != .groupKey {
                    foreign = ours.foreign(in: try await link.accessList(deadline: deadline).entries)
                }
                guard plan.kind.turnsKeys else {
                    let since = try await link.ownCertificate(deadline: deadline).notBefore
                    return RotationOutlook(
                        foreign: foreign.sorted(), keys: nil, certificateSince: MatterEpoch.unix(since))
                }
                let starts = try await link.keyStarts(ofSet: plan.keySet, deadline: deadline)
                return RotationOutlook(foreign: foreign.sorted(), keys: starts.count, certificateSince: nil)
            }
        }
    }

    /// - Throws: ``JobError`` `serviceKeys`, ``ControllerError`` `noIssuer`.
    private func checkFabric(_ plan: RotationPlan) throws {
        let fabric = try context.fabric()
        if case .groupKey = plan { return }
        guard fabric.issuer == .local || fabric.issuer == .none else {
            throw JobError(
                .serviceKeys,
                plan.kind == .identityKey
                    ? "the identity key of the fabric '\(fabric.name)' is that of the service '\(fabric.issuer.rawValue)', which keeps it"
                    : "the certificates of the fabric '\(fabric.name)' are issued by the service '\(fabric.issuer.rawValue)', which "
                        + "renews none",
                hint: .step("job.service"))
        }
        guard plan.kind == .certificates else { return }
        guard fabric.issuer == .local, try fabrics.authority(of: fabric).canIssue else {
            throw ControllerError(
                .noIssuer, "the fabric '\(fabric.name)' was imported without the key of its certificate authority",
                hint: .step("job.no-authority"))
        }
    }

    // MARK: Beginning

    /// The job of a plan that is under way; `nil` if there is none.
    private func open(_ plan: RotationPlan, _ store: JobStore) throws -> Job? {
        try store.sound().jobs.last {
            $0.kind == plan.kind && $0.isRotating && $0.rotation?.keySet == plan.keySet
        }
    }

    /// Makes the job of a rotation, or goes on with the one that is under way; there nodes that were refused are tried once more. Nodes
    /// are read and not changed: `JobService.resume` does the work.
    ///
    /// - Parameters:
    ///   - known: administrators that are not ours, and may lose the fabric.
    ///   - budget: for looking at the nodes.
    /// - Throws: ``JobError`` `foreignAdministrator` or `serviceKeys`, ``ControllerError`` `noIssuer`, ``StoreError``.
    public func begin(_ plan: RotationPlan, knowing known: [NodeID] = [], budget: Budget) async throws -> Job {
        try checkFabric(plan)
        let store = try jobs.store()
        try await store.removeStrayKeys()
        if let job = try open(plan, store) { return try await goOn(job, known, store) }
        if plan.kind != .groupKey { try checkAdministrators(try await look(plan, budget: budget), knowing: known) }
        let rotation = try rotation(plan, known)
        let key = try key(plan)
        let nodes = try nodes(of: plan).map(\.nodeID) + (plan.kind == .certificates ? [context.fabric().nodeID] : [])
        return try await store.add(key: key) { id in
            if let other = try open(plan, store) { throw store.running(other, hint: .step("job.show", "\(other.id)")) }
            var job = Job(id: id, kind: plan.kind, owner: jobs.owner, nodes: nodes, at: jobs.now)
            job.rotation = rotation
            return job
        }
    }

    private func goOn(_ job: Job, _ known: [NodeID], _ store: JobStore) async throws -> Job {
        try await store.note(
            [.rotated(.known(known)), .added(job.entries.map(\.node))], of: job.id, at: jobs.now)
    }

    /// Looks for administrators that are not ours, and that the user has not named: they cannot follow a rotation.
    ///
    /// - Throws: ``JobError`` `foreignAdministrator`.
    public func checkAdministrators(
        _ answers: [NodeAnswer<RotationOutlook>], knowing known: [NodeID]
    ) throws(JobError) {
        let places = answers.filter { !Set($0.value?.foreign ?? []).isSubset(of: known) }
        guard !places.isEmpty else { return }
        let foreign = Set(places.flatMap { $0.value?.foreign ?? [] }).subtracting(known)
        throw Administrators.refusal(foreign, on: places.map(\.node.title))
    }

    private func rotation(_ plan: RotationPlan, _ known: [NodeID]) throws -> Job.Rotation {
        switch plan {
        case .certificates: return Job.Rotation(phase: .certify, known: known)
        case .identityKey:
            // Long past for every clock, so that no node takes the time for too early; at random, so that rotations can be told apart.
            let base = (try options.random.integer(UInt64.self) >> 16) | 1
            return Job.Rotation(phase: .add, base: base, known: known)
        case .groupKey(let group):
            let base = try GroupService.keyStart(at: options.unixTime(), options.random)
            return Job.Rotation(phase: .add, keySet: group.keySet, base: base, origin: group.keyStart)
        }
    }

    /// The old key and a new one, for a rotation of keys.
    private func key(_ plan: RotationPlan) throws -> SecretBytes? {
        let old: SecretBytes
        switch plan {
        case .certificates: return nil
        case .identityKey: old = try fabrics.credentials(of: context.fabric()).ipkEpochKey
        case .groupKey(let group): old = try context.groups().key(of: group)
        }
        return KeyTurn.secret(old: old, new: try options.random.secret(FabricIdentity.groupKeyCount))
    }

    // MARK: Going back

    /// Lets the rotation of a key go back to the old one. That is possible until the old key is taken from the first node.
    ///
    /// - Throws: ``JobError`` `unknown` if none is under way, `noWayBack`, or `running`.
    public func turnBack(_ plan: RotationPlan) async throws -> Job {
        let store = try jobs.store()
        // Of one that was over when its process ended.
        try await store.removeStrayKeys()
        guard let job = try open(plan, store) else {
            throw JobError(.unknown, "no such rotation is under way", hint: .step("job.see"))
        }
        let after = try await store.alone(on: job.id) {
            let current = try jobs.job(job.id)
            guard current.rotation?.isBack != true else { return current }
            guard current.rotation?.back != nil else {
                throw JobError(
                    .noWayBack,
                    plan.kind == .certificates
                        ? "a certificate that a node has confirmed stays: cancel the job instead"
                        : "the old key is being taken from the nodes, and some have it no more",
                    hint: .step(plan.kind == .certificates ? "job.cancel-rest" : "job.resume", "\(job.id)"))
            }
            return try await store.note([.rotated(.turnedBack)], of: job.id, at: jobs.now)
        }
        guard let after else { throw store.running(job, hint: .step("job.cancel", "\(job.id)")) }
        return after
    }
}
