import MatterState

/// A change of the access control lists of many nodes.
enum AccessWork: Equatable, Sendable {
    /// Gives what each entry says, where it is not given already.
    case grant([AccessControlEntry])
    /// Takes away everything that is given to subjects by their own id.
    case revoke([AccessSubject])

    /// - Returns: `nil` for a change that is meant for the list of one node.
    init?(_ change: AccessListEdit.Change) {
        switch change {
        case .grant(let entries): self = .grant(entries)
        case .revoke(let subjects): self = .revoke(subjects)
        case .withdraw, .remove, .replace: return nil
        }
    }

    /// The subjects that get or lose something.
    private var subjects: Set<AccessSubject> {
        switch self {
        case .grant(let entries):
            Set(entries.flatMap { entry in entry.subjects.map { AccessSubject(id: $0, authMode: entry.authMode) } })
        case .revoke(let subjects): Set(subjects)
        }
    }

    /// Whether one gives what the other takes away.
    func isOpposite(of other: AccessWork) -> Bool {
        switch (self, other) {
        case (.grant, .revoke), (.revoke, .grant): !subjects.isDisjoint(with: other.subjects)
        case (.grant, .grant), (.revoke, .revoke): false
        }
    }

    var change: AccessListEdit.Change {
        switch self {
        case .grant(let entries): .grant(entries)
        case .revoke(let subjects): .revoke(subjects)
        }
    }
}

extension AccessWork {
    /// As it was kept.
    init(_ fields: RecordFields, _ file: String) throws(RecordError) {
        let grants = try fields.strings("grants")
        if !grants.isEmpty {
            var entries: [AccessControlEntry] = []
            for text in grants {
                guard let octets = try? Hex.decode(text), let element = try? TLVElement(decoding: octets),
                    let entry = try? AccessControlEntry(element.value)
                else { throw RecordError(.invalid, "'grants' in \(file) is not a list of entries") }
                entries.append(entry)
            }
            self = .grant(entries)
            return
        }
        var subjects: [AccessSubject] = []
        for subject in try fields.objects("revokes") {
            subjects.append(
                AccessSubject(
                    id: NodeID(try subject.integer("subject")), authMode: .init(rawValue: try subject.integer("mode"))))
        }
        self = .revoke(subjects)
    }

    func add(to object: inout JSONObject) {
        switch self {
        case .grant(let entries):
            object["grants"] = .array(
                entries.map { .string(Hex.encode(TLVElement(.anonymous, $0.tlv).encoded())) })
        case .revoke(let subjects):
            object["revokes"] = .array(
                subjects.map { ["subject": .id($0.id.rawValue), "mode": .int(Int64($0.authMode.rawValue))] })
        }
    }
}

extension JobService {
    /// Makes a job of a change of the access control lists of nodes, or goes on with the one that is under way; nothing is sent yet.
    ///
    /// - Throws: ``JobError`` `unsupported` for a change that is meant for the list of one node, `opposite` if an earlier job would undo
    ///   it when it goes on; ``StoreError``.
    public func begin(_ change: AccessListEdit.Change, on nodes: [NodeID]) async throws -> Job {
        guard let work = AccessWork(change) else {
            throw JobError(.unsupported, "this change is meant for the list of one node")
        }
        let now = now
        let store = try store()
        let open = try store.sound().jobs.filter { $0.kind == .access && $0.isOpen }
        if let other = open.last(where: { $0.access.map(work.isOpposite) ?? false }) {
            throw JobError(
                .opposite, "job \(other.id) has still to do the opposite on \(other.pending.count) nodes",
                hint: .step("job.opposite", "\(other.id)"))
        }
        if let same = open.last(where: { $0.access == work }) {
            return try await store.note([.added(nodes)], of: same.id, at: now)
        }
        return try await store.add { id in
            Job(id: id, kind: .access, owner: owner, nodes: nodes, access: work, at: now)
        }
    }
}

extension JobWork {
    /// Changes the list of a node. A subject that it does not name has nothing to lose there.
    func changeAccess(of node: NodeRecord, deadline: Instant) async throws -> Verdict {
        guard let access else { throw JobError(.unsupported, "the record of the job does not say what to change") }
        let edit = AccessListEdit(access.change, own: try context.credentials().identity, of: node)
        do {
            try await links.withLink(to: node) { link in
                _ = try await link.change(accessListBy: edit, deadline: deadline)
            }
            return .done
        } catch let error as ControllerError {
            switch error.code {
            case .unknownAccessEntry: return .done
            case .lockout, .invalidAccessEntry: return .refused(JobError(.unsupported, error.reason))
            case .accessListFull: return .refused(JobError(.listFull, error.reason))
            default: throw error
            }
        }
    }
}
