import MatterController

/// The access control entries of a group's members (docs/rainmaker.md).
///
/// Everything else in the list stays as it is; entries are never doubled; a list that would lock us out is refused.
struct GroupAccess: Sendable {

    private let admin: CASEAuthenticatedTag
    private let operate: CASEAuthenticatedTag

    init(admin: CASEAuthenticatedTag, operate: CASEAuthenticatedTag) {
        self.admin = admin
        self.operate = operate
    }

    /// The list with both tags in their current versions.
    ///
    /// - Parameters:
    ///   - entries: those of our fabric.
    ///   - own: who we are; some entry must still let us administer.
    func applied(
        to entries: [AccessControlEntry], own: NodeIdentity
    ) throws(RainMakerError) -> [AccessControlEntry] {
        let all = AccessControlEntry(.operate, subjects: [operate.subject])
        var result: [AccessControlEntry] = []
        var operates = false
        for entry in entries.map(updated) + [all] {
            if entry.privilege == .operate, entry.targets.isEmpty, entry.subjects.contains(operate.subject) {
                guard !operates else { continue }
                operates = true
            }
            result.append(entry)
        }
        guard result.contains(where: { $0.letsAdminister(own) }) else {
            throw RainMakerError(
                .forbidden, "not written: the new access control list would lock this controller out",
                hint: .step("cloud.renew-own"))
        }
        return result.administratorsFirst(own)
    }

    /// The entry with subjects that are older or newer versions of a tag replaced by the tag.
    private func updated(_ entry: AccessControlEntry) -> AccessControlEntry {
        let tag = entry.privilege == .administer ? admin : operate
        var entry = entry
        entry.subjects = entry.subjects.reduce(into: []) { kept, subject in
            let isTag = CASEAuthenticatedTag(subject: subject)?.identifier == tag.identifier
            let subject = isTag ? tag.subject : subject
            if !kept.contains(subject) { kept.append(subject) }
        }
        return entry
    }
}
