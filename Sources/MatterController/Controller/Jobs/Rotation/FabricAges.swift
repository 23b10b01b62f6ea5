public import MatterState

/// The ages of the keys and certificates of a fabric: when each was made, in seconds since 1970.
public struct FabricAges: Sendable {
    /// The identity protection key. One that was never exchanged here is at most as old as the root certificate.
    public let identityKey: Int64
    /// The time from which our own certificate is valid, in seconds since 1970.
    public let ownCertificate: Int64
    /// The certificates of the nodes, as far as it is known, the oldest first.
    public let nodes: [(node: NodeRecord, since: Int64)]
    /// The keys of the groups, the oldest first.
    public let groups: [(group: GroupRecord, since: Int64)]

    /// The time from which the identity protection key is, or could be, in seconds since 1970.
    static func identityKey(of fabric: FabricRecord) throws -> Int64 {
        try fabric.identityKeyMadeAt ?? MatterEpoch.unix(try MatterCertificate(tlv: fabric.root).notBefore)
    }
}

extension RotationService {
    /// The groups whose keys a former member may know: they are not newer than the removal, or their exchange has not ended. Of groups
    /// that share a key, the first. Times are whole seconds, so a key of the same second counts as one that the member may know.
    ///
    /// - Throws: ``StoreError``, ``RecordError`` without a fabric.
    public func groups(keyedBefore former: MemberRoster.Former) throws -> [GroupRecord] {
        let open = try jobs.sound().jobs.filter { $0.kind == .groupKey && $0.isRotating }.compactMap(\.rotation?.keySet)
        var seen: Set<UInt16> = []
        return try ages(of: context.fabric()).groups.filter { group, since in
            (since <= former.removedAt || open.contains(group.keySet)) && seen.insert(group.keySet).inserted
        }.map(\.group)
    }

    /// How old the keys and certificates of a fabric are.
    ///
    /// - Throws: ``StoreError``, ``CredentialsError`` for a certificate that cannot be read.
    public func ages(of fabric: FabricRecord) throws -> FabricAges {
        func since(_ certificate: [UInt8]) throws -> Int64 {
            MatterEpoch.unix(try MatterCertificate(tlv: certificate).notBefore)
        }
        let identity = fabric.compressedFabricID
        let nodes = try NodeStore(options.state, fabric: fabric.name, identity: identity).sound().nodes
        let groups = try GroupStore(options.state, fabric: fabric.name, identity: identity).sound().groups
        return FabricAges(
            identityKey: try FabricAges.identityKey(of: fabric), ownCertificate: try since(fabric.noc),
            nodes: nodes.compactMap { node in (node.certifiedAt ?? node.commissionedAt).map { (node, $0) } }
                .sorted { ($0.1, $0.0.nodeID) < ($1.1, $1.0.nodeID) },
            groups: groups.map { ($0, MatterEpoch.unix(UInt32(clamping: $0.keyStart / 1_000_000))) }
                .sorted { ($0.1, $0.0.group) < ($1.1, $1.0.group) })
    }
}
