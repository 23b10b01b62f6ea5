import MatterState

/// The change of a node's access control list that lets us in beside another controller, or takes us out again (Matter core
/// specification, 9.10).
struct JoinEdit {
    /// Our own node.
    let own: NodeIdentity
    /// The node in messages.
    let title: String
    /// The node in commands.
    let label: String

    /// The list that lets us administer the node as a whole, beside all that it says already; the present one if it does.
    ///
    /// An entry of our own is the first choice: no other entry is touched. Where there is no room for one, our id joins the subjects of
    /// an entry that lets the other controller administer the whole node by its id or its tag.
    ///
    /// - Parameter other: the other controller.
    /// - Throws: ``JobError`` `notAdministrator` or `listFull`.
    func admitting(
        _ entries: [AccessControlEntry], beside other: NodeIdentity, within limits: AccessListEdit.Limits
    ) throws(JobError) -> [AccessControlEntry] {
        guard !entries.contains(where: { $0.letsAdminister(own) && $0.targets.isEmpty }) else { return entries }
        guard entries.contains(where: { $0.letsAdminister(other) }) else {
            throw JobError(
                .notAdministrator, "\(title) does not let the other controller administer it",
                hint: .step("job.window"))
        }
        // The other controller stays in charge also if the list takes several messages.
        if entries.count < limits.entries {
            return (entries + [AccessControlEntry(.administer, subjects: [own.nodeID])]).administratorsFirst(other)
        }
        let place = entries.firstIndex { entry in
            entry.letsAdminister(other) && entry.targets.isEmpty && !entry.subjects.isEmpty
                && entry.subjects.count < limits.subjects
        }
        guard let place else {
            throw JobError(
                .listFull,
                "the access control list of \(title) is full: it has \(entries.count) entries of the fabric, and its "
                    + "administrators' has no room for another subject",
                hint: .step("job.make-room"))
        }
        var result = entries
        result[place].subjects.append(own.nodeID)
        return result.administratorsFirst(other)
    }

    /// The list without our id; the present one if it does not have it.
    ///
    /// - Throws: ``JobError`` `lastAdministrator` if no other node could administer the node then.
    func leaving(_ entries: [AccessControlEntry]) throws(JobError) -> [AccessControlEntry] {
        let rest = entries.compactMap { entry -> AccessControlEntry? in
            guard entry.authMode == .case, entry.subjects.contains(own.nodeID) else { return entry }
            let others = entry.subjects.filter { $0 != own.nodeID }
            // Without subjects it would mean everyone.
            return others.isEmpty ? nil : entry.with(subjects: others)
        }
        guard rest.count < entries.count || rest != entries else { return entries }
        guard rest.contains(where: { $0.privilege == .administer && $0.authMode == .case && $0.targets.isEmpty }) else {
            throw JobError(
                .lastAdministrator, "without our entry no controller of the fabric could administer \(title)",
                hint: .step("job.not-alone", label))
        }
        return rest
    }
}
