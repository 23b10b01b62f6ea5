public import MatterState

/// The holder's side: members go.
extension MemberService {
    /// How far the removal of a member has come.
    public enum RemovalProgress: Sendable {
        /// These members have not confirmed their new certificates: nothing was changed on any node.
        case waiting([MemberRoster.Member])
        /// The job that raises the entries of nodes, which `JobService.resume` does.
        case working(Job)
        /// The member is out.
        case done(MemberRoster.Former)
    }

    /// Begins the removal of a member, or goes on with it: first everyone else gets a certificate with the next version of the tag,
    /// which the present entries of nodes admit; then the entries are raised to it. Durable before it returns.
    ///
    /// - Parameter names: members who are not waited for: nodes do not admit them until they import their new certificate.
    /// - Throws: ``MemberError`` `notHolder`, `unknown` or `removalOpen`; ``StoreError``, ``RecordError`` if a node's record is
    ///   damaged: every node has to be reached.
    public func remove(_ name: String, leavingBehind names: [String] = []) async throws -> RemovalProgress {
        _ = try holder()
        let store = try store()
        // Those of the exchange of a group's key that was over when its process ended.
        try await jobs().removeStrayKeys()
        if let roster = try store.roster(), roster.member(name) == nil,
            let former = roster.former.last(where: { $0.name == name })
        {
            return .done(former)
        }
        let roster = try await store.change { roster -> MemberRoster in
            guard var now = roster, let member = now.member(name) else { throw unknown(name, among: roster) }
            if let other = now.removal?.name, other != name {
                throw MemberError(
                    .removalOpen, "the removal of '\(other)' has not come to its end",
                    hint: .step("member.go-on", other))
            }
            for other in names where other == name || now.member(other) == nil { throw unknown(other, among: roster) }
            guard now.tag.version < .max else {
                throw MemberError(.removalOpen, "the administrators' tag has no version left")
            }
            now.beginRemoval(of: member, leavingBehind: names, at: options.unixTime())
            // Before the nodes are listed: one that is commissioned from now on gets the new version.
            if now.waitedFor.isEmpty { now.raise() }
            roster = now
            return now
        }
        guard let removal = roster.removal, removal.raises else { return .waiting(roster.waitedFor) }
        let nodes = try context.nodes().all().map(\.nodeID)
        guard !nodes.isEmpty else { return .done(try await end(removal)) }
        let job = try await raising(removal, nodes)
        return try await finish(job).map { .done($0) } ?? .working(job)
    }

    /// The error of a removal that waits.
    public func waiting(for members: [MemberRoster.Member], toRemove name: String, hint: Hint) -> MemberError {
        let names = members.map(\.name).joined(separator: ", ")
        return MemberError(
            .waiting, "the removal of '\(name)' waits until these members have their new certificates: \(names)",
            hint: hint)
    }

    private func raising(_ removal: MemberRoster.Removal, _ nodes: [NodeID]) async throws -> Job {
        let jobs = try jobs()
        let now = options.unixTime()
        // A process may have ended before it noted the number of the job that it made.
        let known = try jobs.sound().jobs.last { job in
            job.kind == .expel && job.cancelledAt == nil && (job.id == removal.job || removal.job == nil && job.isOpen)
        }
        let job: Job
        if let known {
            job = try await jobs.note([.added(nodes)], of: known.id, at: now)
        } else {
            let owner = Job.Owner.current(options.moment())
            job = try await jobs.add { id in Job(id: id, kind: .expel, owner: owner, nodes: nodes, at: now) }
        }
        if removal.job != job.id { try await store().change { $0?.raise(by: job.id) } }
        return job
    }

    /// Ends the removal whose job is done on all nodes; may be called again.
    ///
    /// - Returns: `nil` if there is none, or the job is not done.
    @discardableResult
    func finish(_ job: Job) async throws -> MemberRoster.Former? {
        guard job.kind == .expel, job.isDone, job.cancelledAt == nil,
            let removal = try store().roster()?.removal, removal.job == job.id
        else { return nil }
        return try await end(removal)
    }

    private func end(_ removal: MemberRoster.Removal) async throws -> MemberRoster.Former {
        try await store().change { roster in
            if roster?.removal?.nodeID == removal.nodeID { roster?.endRemoval(at: options.unixTime()) }
            guard let former = roster?.former.last(where: { $0.nodeID == removal.nodeID }) else {
                throw unknown(removal.name, among: roster)
            }
            return former
        }
    }
}
