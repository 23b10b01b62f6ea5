import MatterCrypto
package import MatterModel

/// An entry of the access control list (Matter core specification 9.10.5.6). `nil` or no subjects: everybody of the
/// authentication mode; `nil` or no targets: everything.
package typealias AccessControlEntry = AccessControl.AccessControlEntry

extension AccessControl.AccessControlEntry {
    package typealias Privilege = AccessControl.AccessControlEntryPrivilege
    package typealias AuthMode = AccessControl.AccessControlEntryAuthMode
    package typealias Target = AccessControl.AccessControlTarget

    /// The least room of every device, and what this one has.
    enum Capacity {
        static let entriesPerFabric = 4
        static let subjectsPerEntry = 4
        static let targetsPerEntry = 3
    }

    package init(_ privilege: Privilege, _ authMode: AuthMode, subjects: [UInt64]? = nil, targets: [Target]? = nil) {
        self.init(privilege: privilege, authMode: authMode, subjects: subjects, targets: targets)
    }

    /// True if the entry grants a privilege to the caller.
    func grants(_ needed: AccessPrivilege) -> Bool {
        switch privilege {
        case .view, .proxyView: needed == .view
        case .operate: needed <= .operate
        case .manage: needed <= .manage
        case .administer: true
        default: false
        }
    }

    func applies(to caller: Caller) -> Bool {
        let subjects = subjects ?? []
        switch (caller.kind, authMode) {
        case (.case(let node, let tags), .case):
            return subjects.isEmpty
                || subjects.contains { subject in
                    let subject = NodeID(subject)
                    if subject == node { return true }
                    guard let tag = CASEAuthenticatedTag(subject: subject) else { return false }
                    return tags.contains { $0.satisfies(tag) }
                }
        case (.group(let group), .group):
            return subjects.isEmpty || subjects.contains(UInt64(group))
        default:
            return false
        }
    }

    func covers(endpoint: EndpointID, cluster: ClusterID, deviceTypes: [DeviceTypeRevision]) -> Bool {
        let targets = targets ?? []
        return targets.isEmpty
            || targets.contains { target in
                (target.cluster ?? cluster) == cluster && (target.endpoint ?? endpoint) == endpoint
                    && (target.deviceType.map { type in deviceTypes.contains { $0.id == type } } ?? true)
            }
    }
}

// MARK: - Encoding

extension AccessControl.AccessControlEntry {
    /// The entry as it is read, with its fabric.
    package func tlv(fabricIndex: UInt8) -> TLVValue {
        var entry = self
        entry.fabricIndex = fabricIndex
        return entry.tlv
    }

    /// Reads an entry that is to be written.
    ///
    /// - Throws: `CONSTRAINT_ERROR` for one that no list may hold, `RESOURCE_EXHAUSTED` for one that is too long.
    package init(checking value: TLVValue) throws(ClusterFailure) {
        guard let entry = Self(tlv: value), entry.privilege.isKnown, entry.authMode.isKnown, entry.authMode != .pase,
            !(entry.authMode == .group && entry.privilege == .administer)
        else { throw .constraintError }
        self.init(entry.privilege, entry.authMode, subjects: entry.subjects, targets: entry.targets)
        guard subjects?.count ?? 0 <= Capacity.subjectsPerEntry, targets?.count ?? 0 <= Capacity.targetsPerEntry else {
            throw .resourceExhausted
        }
        guard (subjects ?? []).allSatisfy({ Self.isSubject($0, of: authMode) }), (targets ?? []).allSatisfy(\.isValid)
        else { throw .constraintError }
    }

    private static func isSubject(_ subject: UInt64, of mode: AuthMode) -> Bool {
        if mode == .group { return subject != 0 && subject <= UInt64(UInt16.max) }
        return switch NodeID(subject).kind {
        case .operational: true
        case .caseAuthenticatedTag(let tag): tag.isValid
        default: false
        }
    }
}

extension AccessControl.AccessControlTarget {
    /// Whether it names a place that there can be, in one of the ways that the specification allows.
    var isValid: Bool {
        guard cluster != nil || endpoint != nil || deviceType != nil, endpoint == nil || deviceType == nil,
            endpoint != 0xFFFF
        else { return false }
        if let cluster = cluster?.rawValue {
            let low = cluster & 0xFFFF
            let isStandard = cluster >> 16 == 0 && low <= 0x7FFF
            let isVendors = cluster >> 16 != 0 && cluster >> 16 <= 0xFFFE && (0xFC00...0xFFFE).contains(low)
            guard isStandard || isVendors else { return false }
        }
        return deviceType.map { $0.rawValue & 0xFFFF <= 0xBFFF && $0.rawValue >> 16 <= 0xFFFE } ?? true
    }
}

// MARK: - Deciding

extension SimulatedNode {
    /// True if the caller has a privilege (Matter core specification 6.6.6).
    func allows(_ caller: Caller, _ needed: AccessPrivilege, _ endpoint: EndpointID, _ cluster: ClusterID) -> Bool {
        switch caller.kind {
        case .device, .pase: return true
        case .case, .group: break
        }
        guard let fabric = fabrics[caller.fabricIndex] else { return false }
        let deviceTypes = endpoints[endpoint]?.deviceTypes ?? []
        return fabric.access.contains { entry in
            entry.grants(needed) && entry.applies(to: caller)
                && entry.covers(endpoint: endpoint, cluster: cluster, deviceTypes: deviceTypes)
        }
    }
}
