import MatterState

/// The work of a key rotation on one node. All keys of a phase are written at once, so a kill leaves the set of this phase or of the one
/// before, and we use a key that is in both.
extension JobWork {
    func turnKeys(of node: NodeRecord, deadline: Instant) async throws -> Verdict {
        guard let turn else {
            throw JobError(.keyGone, "the keys of this rotation are gone", hint: .step("job.begin-again"))
        }
        let set = turn.rotation.keySet
        guard kind == .identityKey else {
            try await links.withLink(to: node) { link in
                try await checkOwnership(ofSet: set, turn, link, deadline: deadline)
                try await link.ensure(turn.epochKeys, inSet: set, deadline: deadline)
            }
            return .done
        }
        if turn.rotation.phase == .prefer { return try await prefer(turn, node, deadline: deadline) }
        let isFirst = turn.rotation.phase == .add
        try await links.withLink(to: node) { link in
            if isFirst { try await checkAdministrators(of: node, link, deadline: deadline) }
            try await link.ensure(turn.epochKeys, inSet: set, deadline: deadline)
        }
        return .done
    }

    /// Makes the new key the one that the node uses. A handshake under the new key alone comes first: it proves that the node has it,
    /// before the old one is taken away anywhere.
    private func prefer(_ turn: KeyTurn, _ node: NodeRecord, deadline: Instant) async throws -> Verdict {
        _ = try await links.gate?.meet(node, for: .short)
        let set = turn.rotation.keySet
        let own = try context.credentials()
        func ensure(_ turn: KeyTurn, under key: SecretBytes) async throws {
            try await withFreshLink(to: node, as: try own.replacing(ipkEpochKey: key)) { link in
                try await link.ensure(turn.epochKeys, inSet: set, deadline: deadline)
            }
        }
        do {
            try await ensure(turn, under: turn.new)
        } catch let error as SessionError where error.isUnknownToPeer {
            // It has joined since, or was set back to what it had before.
            try await ensure(turn.at(.add), under: turn.old)
            try await ensure(turn, under: turn.new)
        }
        return .done
    }

    /// - Throws: ``ControllerError`` `groupConflict` if another administrator has a key set of its own under the id.
    private func checkOwnership(
        ofSet set: UInt16, _ turn: KeyTurn, _ link: NodeLink, deadline: Instant
    ) async throws {
        guard let start = try await link.keyStarts(ofSet: set, deadline: deadline).first, !turn.rotation.wrote(start),
            let group = try context.groups().sound().groups.first(where: { $0.keySet == set }), group.keyStart != start,
            try !context.groupKeys(ofSet: set).wrote(start)
        else { return }
        throw ControllerError(
            .groupConflict,
            "\(link.node.title) has a key set \(set) that is not the one of group '\(group.name)'",
            hint: .step("group.conflict", link.node.label))
    }

    /// Looks for administrators that are not ours, and that the user has not named.
    ///
    /// - Throws: ``JobError`` `foreignAdministrator`.
    func checkAdministrators(of node: NodeRecord, _ link: NodeLink, deadline: Instant) async throws {
        let list = try await link.accessList(deadline: deadline)
        let ours = try Administrators(of: context)
        let foreign = ours.foreign(in: list.entries).subtracting(known)
        guard !foreign.isEmpty else { return }
        throw Administrators.refusal(foreign, on: [node.title])
    }
}

/// The administrators of a fabric that can follow a rotation: we, who begin it, the members, and the nodes that are among those it
/// reaches.
struct Administrators: Sendable {
    private let own: NodeIdentity
    private let nodes: Set<NodeID>
    private let members: MemberRoster?

    init(_ own: NodeIdentity, nodes: [NodeRecord], members: MemberRoster?) {
        self.own = own
        self.nodes = Set(nodes.map(\.nodeID))
        self.members = members
    }

    /// - Throws: ``StoreError``, ``RecordError``.
    init(of context: FabricContext) throws {
        let fabric = try context.fabric()
        let members = MemberStore(context.options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
        self.init(
            try context.credentials().identity, nodes: try context.nodes().sound().nodes, members: try members.roster())
    }

    /// A member, or the tag of all of them.
    private func isMember(_ subject: NodeID) -> Bool {
        members.map { $0.isTag(subject) || $0.members.contains { $0.nodeID == subject } } ?? false
    }

    /// The subjects that may administer a node, and are others.
    func foreign(in entries: [AccessControlEntry]) -> Set<NodeID> {
        let subjects = entries.filter { $0.privilege == .administer && $0.authMode == .case }.flatMap(\.subjects)
        return Set(subjects.filter { !own.matches(subject: $0) && !nodes.contains($0) && !isMember($0) })
    }

    /// Why a rotation does not begin.
    static func refusal(_ foreign: Set<NodeID>, on nodes: [String]) -> JobError {
        let names = foreign.sorted().map(\.administratorName)
        let places = nodes.count == 1 ? nodes[0] : "\(nodes.count) nodes"
        return JobError(
            .foreignAdministrator,
            "\(places) has an administrator that is not ours, and cannot follow: \(names.joined(separator: ", "))",
            hint: .step("job.i-know", names.first ?? ""))
    }
}

extension NodeID {
    /// A subject of access control in the form that commands take: `112233`, `cat:06D90001`.
    public var administratorName: String {
        CASEAuthenticatedTag(subject: self).map { "cat:\($0)" } ?? "\(rawValue)"
    }
}
