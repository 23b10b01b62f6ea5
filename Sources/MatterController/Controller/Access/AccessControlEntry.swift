public import MatterCrypto
public import MatterModel

/// One entry of a node's access control list: AccessControlEntryStruct (Matter core specification, 9.10.5.6).
public typealias AccessControlEntry = ListEntry<AccessControl.AccessControlEntry>

extension ListEntry<AccessControl.AccessControlEntry> {
    /// The rights of the subjects.
    public typealias Privilege = AccessControl.AccessControlEntryPrivilege
    /// How they prove who they are.
    public typealias AuthMode = AccessControl.AccessControlEntryAuthMode
    /// The limits of an entry.
    public typealias Target = AccessControl.AccessControlTarget

    /// Node ids, tags or groups; empty for everyone who proves himself in this way.
    public var subjects: [NodeID] {
        get { known.subjects?.map { NodeID($0) } ?? [] }
        set { known.subjects = newValue.isEmpty ? nil : newValue.map(\.rawValue) }
    }

    /// Empty for the whole node.
    public var targets: [Target] {
        get { known.targets ?? [] }
        set { known.targets = newValue.isEmpty ? nil : newValue }
    }

    /// An entry that lets subjects do something; without targets, on the whole node.
    public init(
        _ privilege: Privilege, authMode: AuthMode = .case, subjects: [NodeID], targets: [Target] = []
    ) {
        self.init(AccessControl.AccessControlEntry(privilege: privilege, authMode: authMode))
        self.subjects = subjects
        self.targets = targets
    }

    /// The entries of a whole list.
    ///
    /// - Throws: ``TLVError``.
    public static func list(_ value: TLVValue) throws(TLVError) -> [AccessControlEntry] {
        var entries: [AccessControlEntry] = []
        switch value {
        case .null: break
        case .array(let elements): for element in elements { entries.append(try AccessControlEntry(element.value)) }
        default: throw TLVError(.wrongType, "the entries of an access control list are not a list")
        }
        return entries
    }

    /// True if it means a node by its id or by one of its tags.
    public func includes(_ node: NodeIdentity) -> Bool {
        self.authMode == .case && (subjects.isEmpty || subjects.contains { node.matches(subject: $0) })
    }

    /// True if it lets a node change the access control list.
    public func letsAdminister(_ node: NodeIdentity) -> Bool {
        self.privilege == .administer && includes(node)
            && (targets.isEmpty || targets.contains(where: \.coversAccessControl))
    }
}

extension AccessControl.AccessControlTarget {
    /// True if the cluster with the access control list is among what this means.
    fileprivate var coversAccessControl: Bool {
        (cluster ?? AccessControl.id) == AccessControl.id && (endpoint ?? 0) == 0
            && (deviceType ?? .rootNode) == .rootNode
    }
}
