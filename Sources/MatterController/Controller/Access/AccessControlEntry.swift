package import MatterCrypto
package import MatterModel

/// One entry of a node's access control list: AccessControlEntryStruct (Matter core specification, 9.10.5.6).
package struct AccessControlEntry: FabricListEntry {
    /// Where the list is: cluster, and attribute on endpoint 0.
    package static let cluster = AccessControl.id
    package static let attribute = AccessControl.Attribute.acl

    package typealias Privilege = AccessControl.AccessControlEntryPrivilege
    package typealias AuthMode = AccessControl.AccessControlEntryAuthMode
    /// The limits of an entry; `nil` means no limit.
    package typealias Target = AccessControl.AccessControlTarget

    package var privilege: Privilege
    package var authMode: AuthMode
    /// Node ids, tags or groups; empty for everyone who proves himself in this way.
    package var subjects: [NodeID]
    /// Empty for the whole node.
    package var targets: [Target]
    /// Fields of later versions of the specification, which are written back as they were read.
    private var others: [TLVElement] = []
    package var fabricIndex: UInt8?

    package init(
        _ privilege: Privilege, authMode: AuthMode = .case, subjects: [NodeID], targets: [Target] = []
    ) {
        self.privilege = privilege
        self.authMode = authMode
        self.subjects = subjects
        self.targets = targets
    }

    package init(_ value: TLVValue) throws(TLVError) {
        typealias Field = AccessControl.AccessControlEntry.Field
        let fields = try TLVFields(value, "an access control entry")
        privilege = Privilege(rawValue: try fields.unsigned(Field.privilege))
        authMode = AuthMode(rawValue: try fields.unsigned(Field.authMode))
        var subjects: [NodeID] = []
        for subject in try Self.elements(
            fields[Field.subjects], "the subjects of an access control entry")
        {
            guard case .uint(let number) = subject else {
                throw TLVError(.wrongType, "a subject of an access control entry is not an unsigned integer")
            }
            subjects.append(NodeID(number))
        }
        self.subjects = subjects
        var targets: [Target] = []
        for target in try Self.elements(
            fields[Field.targets], "the targets of an access control entry")
        {
            targets.append(try Target(reading: target))
        }
        self.targets = targets
        others = fields.all.filter { element in
            if case .context(let tag) = element.tag { tag > 4 && tag != 254 } else { false }
        }
        fabricIndex = try fields.optionalUnsigned(Field.fabricIndex)
    }

    package var tlv: TLVValue {
        let known = AccessControl.AccessControlEntry(
            privilege: privilege, authMode: authMode, subjects: subjects.isEmpty ? nil : subjects.map(\.rawValue),
            targets: targets.isEmpty ? nil : targets)
        return .structure((known.tlv.members ?? []) + others)
    }

    private static func elements(_ value: TLVValue?, _ name: String) throws(TLVError) -> [TLVValue] {
        switch value {
        case nil, .null: return []
        case .array(let elements): return elements.map(\.value)
        default: throw TLVError(.wrongType, "\(name) are not a list")
        }
    }

    /// The entries of a whole list.
    package static func list(_ value: TLVValue) throws(TLVError) -> [AccessControlEntry] {
        var entries: [AccessControlEntry] = []
        for element in try elements(value, "the entries of an access control list") {
            entries.append(try AccessControlEntry(element))
        }
        return entries
    }

    /// True if it means a node by its id or by one of its tags.
    package func includes(_ node: NodeIdentity) -> Bool {
        authMode == .case && (subjects.isEmpty || subjects.contains { node.matches(subject: $0) })
    }

    /// True if it lets a node change the access control list.
    package func letsAdminister(_ node: NodeIdentity) -> Bool {
        privilege == .administer && includes(node)
            && (targets.isEmpty || targets.contains(where: \.coversAccessControl))
    }
}

extension AccessControl.AccessControlTarget {
    fileprivate init(reading value: TLVValue) throws(TLVError) {
        let fields = try TLVFields(value, "a target of an access control entry")
        self.init(
            cluster: try fields.present(Field.cluster), endpoint: try fields.present(Field.endpoint),
            deviceType: try fields.present(Field.deviceType))
    }

    /// True if the cluster with the access control list is among what this means.
    fileprivate var coversAccessControl: Bool {
        (cluster ?? AccessControlEntry.cluster) == AccessControlEntry.cluster && (endpoint ?? 0) == 0
            && (deviceType ?? .rootNode) == .rootNode
    }
}

extension TLVFields {
    /// A number that may be left out or null.
    fileprivate func present<ID: DataModelID>(_ tag: UInt8) throws(TLVError) -> ID? where ID.RawValue: UnsignedInteger {
        if case .null? = self[tag] { return nil }
        return try optionalUnsigned(tag).map { ID($0) }
    }
}
