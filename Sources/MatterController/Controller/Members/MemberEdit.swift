import MatterState

/// The changes of a node's access control list that let members in by their tag, or leave one of them out (Matter core
/// specification, 9.10 and 6.6.2.1.2). Our own entry, which names our node, stays as it is.
struct MemberEdit {
    /// Our own node, which holds the authority's key.
    let own: NodeIdentity
    /// The administrators' tag, in the version that entries demand.
    let tag: CASEAuthenticatedTag
    /// The node in messages.
    let title: String
    /// The node in commands.
    let label: String

    /// Whether a subject is the administrators' tag, in any version.
    private func isTag(_ subject: NodeID) -> Bool {
        CASEAuthenticatedTag(subject: subject)?.identifier == tag.identifier
    }

    /// The list that lets members administer the node as a whole; the present one if it does, in whatever version: raising it is
    /// not the work of one that admits.
    ///
    /// An entry of its own is the first choice. Where there is no room for one, the tag joins the subjects of an entry by which we
    /// administer the whole node.
    ///
    /// - Throws: ``JobError`` `listFull`.
    func admitting(
        _ entries: [AccessControlEntry], within limits: AccessListEdit.Limits
    ) throws(JobError) -> [AccessControlEntry] {
        let isIn = entries.contains { entry in
            entry.privilege == .administer && entry.authMode == .case && entry.targets.isEmpty
                && entry.subjects.contains(where: isTag)
        }
        guard !isIn else { return entries }
        if entries.count < limits.entries {
            return (entries + [AccessControlEntry(.administer, subjects: [tag.subject])]).administratorsFirst(own)
        }
        let place = entries.firstIndex { entry in
            entry.letsAdminister(own) && entry.targets.isEmpty && !entry.subjects.isEmpty
                && entry.subjects.count < limits.subjects
        }
        guard let place else {
            throw JobError(
                .listFull,
                "the access control list of \(title) is full: it has \(entries.count) entries of the fabric, and ours "
                    + "has no room for the administrators' tag",
                hint: .step("member.make-room", label))
        }
        var result = entries
        result[place].subjects.append(tag.subject)
        return result.administratorsFirst(own)
    }

    /// The list in which every older version of the tag is the present one, and that does not name the one who goes. The tag is in it
    /// at the end, if there is room: a commissioning that would add an older one at the same time finds it there.
    ///
    /// - Throws: ``JobError`` `lastAdministrator` if we could not administer the node then.
    func raising(
        _ entries: [AccessControlEntry], without expelled: NodeID, within limits: AccessListEdit.Limits
    ) throws(JobError) -> [AccessControlEntry] {
        let raised = entries.compactMap { entry -> AccessControlEntry? in
            guard entry.authMode == .case, !entry.subjects.isEmpty else { return entry }
            var subjects: [NodeID] = []
            for subject in entry.subjects where subject != expelled {
                let isOld = CASEAuthenticatedTag(subject: subject).map { isTag(subject) && $0 < tag } ?? false
                let now = isOld ? tag.subject : subject
                if !subjects.contains(now) { subjects.append(now) }
            }
            // Without subjects it would mean everyone.
            guard !subjects.isEmpty else { return nil }
            return subjects == entry.subjects ? entry : entry.with(subjects: subjects)
        }
        let result = (try? admitting(raised, within: limits)) ?? raised
        // A device that lets us read a list in which we are not does not go by it.
        let isOurs = { (entry: AccessControlEntry) in entry.letsAdminister(own) }
        guard result.contains(where: isOurs) || !entries.contains(where: isOurs) else {
            throw JobError(
                .lastAdministrator, "without that entry we could not administer \(title)",
                hint: .step("acl.lockout", label))
        }
        // Ours comes first also if the list takes several messages.
        return result.administratorsFirst(own)
    }

    /// The rights of the one who goes that the list has besides the tag.
    func findings(
        _ entries: [AccessControlEntry], of removal: MemberRoster.Removal, on node: NodeID
    ) -> [MemberRoster.Finding] {
        entries.compactMap { entry in
            guard entry.authMode == .case else { return nil }
            if entry.subjects.contains(removal.nodeID) {
                return MemberRoster.Finding(
                    node: node, kind: .entry, text: "an entry gave node \(removal.nodeID.rawValue) \(entry.privilege)")
            }
            guard entry.subjects.isEmpty else { return nil }
            return MemberRoster.Finding(
                node: node, kind: .everyone,
                text: "an entry gives every certificate of the fabric \(entry.privilege), that of '\(removal.name)' too"
            )
        }
    }
}
