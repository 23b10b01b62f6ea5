package import MatterBase
package import MatterCrypto
package import MatterModel

/// One entry of a node's access control list: AccessControlEntryStruct (Matter core specification, 9.10.5.6).
package struct AccessControlEntry: FabricListEntry {
    /// Where the list is: cluster, and attribute on endpoint 0.
    package static let cluster = AccessControl.id
    package static let attribute = AccessControl.Attribute.acl

    /// The privileges (9.10.5.2).
    package enum Privilege {
        package static let view = AccessControl.AccessControlEntryPrivilege.view.rawValue
        package static let proxyView = AccessControl.AccessControlEntryPrivilege.proxyView.rawValue
        package static let operate = AccessControl.AccessControlEntryPrivilege.operate.rawValue
        package static let manage = AccessControl.AccessControlEntryPrivilege.manage.rawValue
        package static let administer = AccessControl.AccessControlEntryPrivilege.administer.rawValue
    }

    /// How a subject has to prove itself (9.10.5.4).
    package enum AuthMode {
        package static let certificate = AccessControl.AccessControlEntryAuthMode.`case`.rawValue
        package static let group = AccessControl.AccessControlEntryAuthMode.group.rawValue
    }

    /// The limits of an entry; `nil` means no limit.
    package struct Target: Sendable, Hashable {
        package var cluster: ClusterID?
        package var endpoint: EndpointID?
        package var deviceType: DeviceTypeID?

        package init(cluster: ClusterID? = nil, endpoint: EndpointID? = nil, deviceType: DeviceTypeID? = nil) {
            self.cluster = cluster
            self.endpoint = endpoint
            self.deviceType = deviceType
        }

        init(_ value: TLVValue) throws(TLVError) {
            let fields = try TLVFields(value, "a target of an access control entry")
            cluster = try fields.present(AccessControl.AccessControlTarget.Field.cluster)
            endpoint = try fields.present(AccessControl.AccessControlTarget.Field.endpoint)
            deviceType = try fields.present(AccessControl.AccessControlTarget.Field.deviceType)
        }

        fileprivate var tlv: TLVValue {
            .structure([
                TLVElement(AccessControl.AccessControlTarget.Field.cluster, .id(cluster)),
                TLVElement(AccessControl.AccessControlTarget.Field.endpoint, .id(endpoint)),
                TLVElement(AccessControl.AccessControlTarget.Field.deviceType, .id(deviceType)),
            ])
        }

        /// True if the cluster with the access control list is among what this means.
        var coversAccessControl: Bool {
            (cluster ?? AccessControlEntry.cluster) == AccessControlEntry.cluster && (endpoint ?? 0) == 0
                && (deviceType ?? .rootNode) == .rootNode
        }
    }

    package var privilege: UInt8
    package var authMode: UInt8
    /// Node ids, tags or groups; empty for everyone who proves himself in this way.
    package var subjects: [NodeID]
    /// Empty for the whole node.
    package var targets: [Target]
    /// Fields of later versions of the specification, which are written back as they were read.
    private var others: [TLVElement] = []
    package var fabricIndex: UInt8?

    package init(
        _ privilege: UInt8, authMode: UInt8 = AuthMode.certificate, subjects: [NodeID], targets: [Target] = []
    ) {
        self.privilege = privilege
        self.authMode = authMode
        self.subjects = subjects
        self.targets = targets
    }

    package init(_ value: TLVValue) throws(TLVError) {
        let fields = try TLVFields(value, "an access control entry")
        privilege = try fields.unsigned(AccessControl.AccessControlEntry.Field.privilege)
        authMode = try fields.unsigned(AccessControl.AccessControlEntry.Field.authMode)
        var subjects: [NodeID] = []
        for subject in try Self.elements(
            fields[AccessControl.AccessControlEntry.Field.subjects], "the subjects of an access control entry")
        {
            guard case .uint(let number) = subject else {
                throw TLVError(.wrongType, "a subject of an access control entry is not an unsigned integer")
            }
            subjects.append(NodeID(number))
        }
        self.subjects = subjects
        var targets: [Target] = []
        for target in try Self.elements(
            fields[AccessControl.AccessControlEntry.Field.targets], "the targets of an access control entry")
        {
            targets.append(try Target(target))
        }
        self.targets = targets
        others = fields.all.filter { element in
            if case .context(let tag) = element.tag { tag > 4 && tag != 254 } else { false }
        }
        fabricIndex = try fields.optionalUnsigned(AccessControl.AccessControlEntry.Field.fabricIndex)
    }

    package var tlv: TLVValue {
        func list(_ values: [TLVValue]) -> TLVValue { values.isEmpty ? .null : .array(of: values) }
        return .structure(
            [
                TLVElement(AccessControl.AccessControlEntry.Field.privilege, .uint(UInt64(privilege))),
                TLVElement(AccessControl.AccessControlEntry.Field.authMode, .uint(UInt64(authMode))),
                TLVElement(AccessControl.AccessControlEntry.Field.subjects, list(subjects.map { .uint($0.rawValue) })),
                TLVElement(AccessControl.AccessControlEntry.Field.targets, list(targets.map(\.tlv))),
            ] + others)
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
        authMode == AuthMode.certificate && (subjects.isEmpty || subjects.contains { node.matches(subject: $0) })
    }

    /// True if it lets a node change the access control list.
    package func letsAdminister(_ node: NodeIdentity) -> Bool {
        privilege == Privilege.administer && includes(node)
            && (targets.isEmpty || targets.contains(where: \.coversAccessControl))
    }
}

extension TLVFields {
    /// A number that may be left out or null.
    fileprivate func present<ID: DataModelID>(_ tag: UInt8) throws(TLVError) -> ID? where ID.RawValue: UnsignedInteger {
        if case .null? = self[tag] { return nil }
        return try optionalUnsigned(tag).map { ID($0) }
    }
}
