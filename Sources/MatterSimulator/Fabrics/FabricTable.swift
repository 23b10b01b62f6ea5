package import MatterNetwork

/// A fabric that the device belongs to, with everything that is kept for it.
package struct FabricEntry: Sendable {
    package let index: UInt8
    package var operational: OperationalCredentials
    package var vendorID: UInt16
    package var label: String
    package var access: [AccessControlEntry]
    /// Set 0 first.
    var keySets: [GroupKeySet]
    package var groupKeyMap: [GroupKeyMapping] = []
    package var groups: [GroupMembership] = []
    var vidVerificationStatement: [UInt8]?
    var vvsc: [UInt8]?

    init(
        index: UInt8, operational: OperationalCredentials, vendorID: UInt16, label: String = "",
        access: [AccessControlEntry], keySets: [GroupKeySet]
    ) {
        self.index = index
        self.operational = operational
        self.vendorID = vendorID
        self.label = label
        self.access = access
        self.keySets = keySets
    }

    /// The fabric without what UpdateNOC brought: certificates, and the label and the statements that go with them. Access
    /// lists and groups are no part of it (Matter core specification 11.10.7.2).
    func undoingUpdate(of old: FabricEntry) -> FabricEntry {
        var undone = old
        if let operational = try? old.operational.replacing(ipkEpochKey: operational.ipkEpochKey) {
            undone.operational = operational
        }
        undone.access = access
        undone.keySets = keySets
        undone.groupKeyMap = groupKeyMap
        undone.groups = groups
        return undone
    }

    /// The keys of CASE; every identity protection key is tried.
    package var credentials: CASECredentials {
        let current = operational.ipkEpochKey
        let others = keySets.first { $0.id == GroupKeySet.identityProtection }?.keys.map(\.key) ?? []
        let further = others.filter { $0 != current }.compactMap {
            try? operational.fabric.operationalIPK(epochKey: $0)
        }
        return CASECredentials(operational, furtherIdentityProtectionKeys: further, fabricIndex: index)
    }
}

/// The fabrics of a device by index (Matter core specification 11.18.4.5).
struct FabricTable: Sendable {
    private var byIndex: [UInt8: FabricEntry] = [:]
    /// Indices are handed out in turn, so that one that was given up does not soon mean another fabric.
    private var lastIndex: UInt8 = 0

    init(_ entries: [FabricEntry] = []) {
        for entry in entries { byIndex[entry.index] = entry }
        lastIndex = entries.map(\.index).max() ?? 0
    }

    var isEmpty: Bool { byIndex.isEmpty }
    var count: Int { byIndex.count }
    /// Ascending by index.
    var all: [FabricEntry] { byIndex.values.sorted { $0.index < $1.index } }

    subscript(_ index: UInt8) -> FabricEntry? {
        get { byIndex[index] }
        set { byIndex[index] = newValue }
    }

    /// The fabric with a root key and an id.
    func fabric(_ identity: FabricIdentity) -> FabricEntry? {
        byIndex.values.first { $0.operational.fabric == identity }
    }

    /// - Returns: an index that is free; `nil` if none is.
    mutating func takeIndex() -> UInt8? {
        for _ in 1...254 {
            lastIndex = lastIndex >= 254 ? 1 : lastIndex + 1
            if byIndex[lastIndex] == nil { return lastIndex }
        }
        return nil
    }
}

// MARK: - Encoding

extension FabricEntry {
    /// Everything there is, keys included: for the state directory only.
    var saved: TLVValue {
        func octets(_ bytes: [UInt8]?) -> TLVValue { bytes.map { .octets($0) } ?? .null }
        return .structure([
            TLVElement(0, .uint(UInt64(index))), TLVElement(1, .octets(operational.root.tlv)),
            TLVElement(2, octets(operational.icac?.tlv)), TLVElement(3, .octets(operational.noc.tlv)),
            TLVElement(4, .octets(operational.key.scalar.copyBytes())),
            TLVElement(5, .octets(operational.ipkEpochKey.copyBytes())), TLVElement(6, .uint(UInt64(vendorID))),
            TLVElement(7, .string(label)),
            TLVElement(8, .array(of: access.map { $0.tlv(fabricIndex: index) })),
            TLVElement(9, .array(of: keySets.map(\.saved))),
            TLVElement(
                10,
                .array(
                    of: groupKeyMap.map {
                        .structure([
                            TLVElement(1, .uint(UInt64($0.group))), TLVElement(2, .uint(UInt64($0.keySet))),
                        ])
                    })),
            TLVElement(
                11,
                .array(
                    of: groups.map {
                        .structure([
                            TLVElement(1, .uint(UInt64($0.group))),
                            TLVElement(2, .array(of: $0.endpoints.map(\.tlv))),
                            TLVElement(3, .string($0.name)),
                        ])
                    })),
            TLVElement(12, octets(vidVerificationStatement)), TLVElement(13, octets(vvsc)),
        ])
    }

    init(saved value: TLVValue) throws {
        let fields = try TLVFields(value, "the record of a fabric")
        func list(_ tag: UInt8) throws -> [TLVValue] { try fields.array(tag) }
        func optional(_ tag: UInt8) -> [UInt8]? { fields[tag]?.octetString }
        let chain = try OperationalChain(
            noc: try fields.octets(3), icac: optional(2), root: try MatterCertificate(tlv: try fields.octets(1)))
        let operational = try OperationalCredentials(
            chain: chain, key: try P256PrivateKey(scalar: SecretBytes(try fields.octets(4))),
            ipkEpochKey: SecretBytes(try fields.octets(5)))
        self.init(
            index: try fields.unsigned(0), operational: operational, vendorID: try fields.unsigned(6),
            label: try fields.string(7), access: try list(8).map { try AccessControlEntry(checking: $0) },
            keySets: try list(9).map { try GroupKeySet(saved: $0) })
        groupKeyMap = try list(10).map {
            let fields = try TLVFields($0, "a group key mapping")
            return GroupKeyMapping(group: try fields.unsigned(1), keySet: try fields.unsigned(2))
        }
        groups = try list(11).map {
            let fields = try TLVFields($0, "a group")
            return GroupMembership(
                group: try fields.unsigned(1), name: try fields.string(3),
                endpoints: try fields.array(2).compactMap { $0.id() })
        }
        vidVerificationStatement = optional(12)
        vvsc = optional(13)
    }
}

extension GroupKeySet {
    fileprivate var saved: TLVValue {
        .structure([
            TLVElement(0, .uint(UInt64(id))), TLVElement(1, .uint(UInt64(securityPolicy))),
            TLVElement(
                2,
                .array(
                    of: keys.map {
                        .structure([TLVElement(0, .octets($0.key.copyBytes())), TLVElement(1, .uint($0.start))])
                    })),
        ])
    }

    fileprivate init(saved value: TLVValue) throws {
        let fields = try TLVFields(value, "a group key set")
        self.init(
            id: try fields.unsigned(0), securityPolicy: try fields.unsigned(1),
            keys: try fields.array(2).map {
                let fields = try TLVFields($0, "an epoch key")
                return EpochKey(
                    key: SecretBytes(try fields.octets(0, count: GroupKeySet.keyCount)), start: try fields.unsigned(1))
            })
    }
}
