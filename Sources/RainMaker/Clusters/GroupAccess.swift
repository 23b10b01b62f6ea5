import MatterController
package import MatterCredentials
import MatterErrors
package import MatterTLV

/// The access control entries of a group's members (docs/rainmaker.md).
///
/// Everything else in the list stays as it is; entries are never doubled; a list that would lock us out is refused.
package struct GroupAccess: Sendable {
    private enum Field {
        static let privilege: UInt8 = 1
        static let authMode: UInt8 = 2
        static let subjects: UInt8 = 3
        static let targets: UInt8 = 4
    }

    private let admin: CASEAuthenticatedTag
    private let operate: CASEAuthenticatedTag

    package init(admin: CASEAuthenticatedTag, operate: CASEAuthenticatedTag) {
        self.admin = admin
        self.operate = operate
    }

    /// The list with both tags in their current versions.
    ///
    /// - Parameters:
    ///   - entries: AccessControlEntryStructs of our fabric.
    ///   - own: who we are; some entry must still let us administer.
    package func applied(to entries: [TLVValue], own: NodeIdentity) throws -> [TLVValue] {
        var result: [TLVValue] = []
        var operates = false
        for entry in entries {
            let fields = try TLVFields(entry, "an access control entry")
            let privilege = try fields.unsigned(Field.privilege, as: UInt8.self)
            let tag = privilege == AccessControlEntry.Privilege.administer ? admin : operate
            let changed = try updated(entry, fields, tag: tag)
            if privilege == AccessControlEntry.Privilege.operate, try isUnrestricted(changed, for: operate) {
                guard !operates else { continue }
                operates = true
            }
            result.append(changed)
        }
        if !operates { result.append(operateEntry) }
        guard result.contains(where: { (try? AccessControlEntry($0))?.letsAdminister(own) ?? false }) else {
            throw RainMakerError(
                .forbidden, "not written: the new access control list would lock this controller out",
                hint: .step("cloud.renew-own"))
        }
        return result
    }

    private var operateEntry: TLVValue {
        .structure([
            TLVElement(Field.privilege, .uint(UInt64(AccessControlEntry.Privilege.operate))),
            TLVElement(Field.authMode, .uint(UInt64(AccessControlEntry.AuthMode.certificate))),
            TLVElement(Field.subjects, .array([TLVElement(.anonymous, .uint(operate.subject.rawValue))])),
            TLVElement(Field.targets, .null),
        ])
    }

    /// The entry with subjects that are older or newer versions of a tag replaced by the tag.
    private func updated(_ entry: TLVValue, _ fields: TLVFields, tag: CASEAuthenticatedTag) throws -> TLVValue {
        guard case .structure(let members) = entry, case .array(let subjects)? = fields[Field.subjects] else {
            return entry
        }
        var kept: [TLVElement] = []
        for subject in subjects {
            var element = subject
            if case .uint(let number) = subject.value, let old = CASEAuthenticatedTag(subject: NodeID(number)),
                old.identifier == tag.identifier
            {
                element.value = .uint(tag.subject.rawValue)
            }
            if !kept.contains(element) { kept.append(element) }
        }
        return .structure(
            members.map { member in
                member.tag == .context(Field.subjects) ? TLVElement(Field.subjects, .array(kept)) : member
            })
    }

    private func subjects(_ fields: TLVFields) -> [NodeID] {
        guard case .array(let elements)? = fields[Field.subjects] else { return [] }
        return elements.compactMap { element in
            guard case .uint(let number) = element.value else { return nil }
            return NodeID(number)
        }
    }

    private func isUnrestricted(_ entry: TLVValue, for tag: CASEAuthenticatedTag) throws -> Bool {
        let fields = try TLVFields(entry, "an access control entry")
        guard subjects(fields).contains(tag.subject) else { return false }
        switch fields[Field.targets] {
        case nil, .null: return true
        case .array(let targets): return targets.isEmpty
        default: return false
        }
    }
}
