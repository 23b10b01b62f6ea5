import MatterCrypto

/// The certificates of a group's fabric, with the profile of the reference (1.6, G5).
struct EmulatorAuthority {
    private static let year: UInt32 = 31_557_600
    private static let rootYears: UInt32 = 15
    private static let nodeYears: UInt32 = 10
    private static let backdating: UInt32 = 3600

    let fabricID: FabricID
    let key: P256PrivateKey
    let root: MatterCertificate

    /// A new authority: fabric id before root id in the name; key usage, basic constraints and key identifiers in that
    /// order.
    static func generate(fabricID: FabricID, now: UInt32, random: any RandomSource) throws -> EmulatorAuthority {
        let key = try P256PrivateKey.generate(random)
        let name = try DistinguishedName([
            .fabricID(fabricID), DistinguishedNameAttribute(.rcacID, .identifier(try random.integer(UInt64.self))),
        ])
        return EmulatorAuthority(
            fabricID: fabricID, key: key, root: try root(name, key: key, hasAKI: true, now: now, random: random))
    }

    /// The root once more, as a cloud would give it that leaves the authority key identifier out.
    func rootWithoutAKI(now: UInt32, random: any RandomSource) throws -> MatterCertificate {
        try Self.root(root.subject, key: key, hasAKI: false, now: now, random: random)
    }

    private static func root(
        _ name: DistinguishedName, key: P256PrivateKey, hasAKI: Bool, now: UInt32, random: any RandomSource
    ) throws -> MatterCertificate {
        let contents = try TBSCertificate(
            serialNumber: try serialNumber(random), issuer: name, notBefore: now - backdating,
            notAfter: now + rootYears * year, subject: name, publicKey: key.publicKey,
            extensions: [
                .keyUsage([.keyCertSign, .crlSign]), .basicConstraints(BasicConstraints(isCA: true)),
                .subjectKeyIdentifier(key.publicKey.keyIdentifier),
            ] + (hasAKI ? [.authorityKeyIdentifier(key.publicKey.keyIdentifier)] : []))
        return try MatterCertificate(contents, signature: try key.sign(contents.der()))
    }

    /// Ways in which a certificate may be wrong, for tests.
    struct Faults {
        var fabricID: FabricID?
        var publicKey: P256PublicKey?
        var signer: P256PrivateKey?
        var isExpired = false
        var isNotYetValid = false
        var isNotBackdated = false
    }

    /// A certificate of a node or user: fabric id, node id, tag in the name; the extended key usage last.
    func issue(
        nodeID: NodeID, cat: CASEAuthenticatedTag?, publicKey: P256PublicKey, now: UInt32, faults: Faults,
        random: any RandomSource
    ) throws -> MatterCertificate {
        let fabric = faults.fabricID ?? fabricID
        let name = try DistinguishedName([.fabricID(fabric), .nodeID(nodeID)] + (cat.map { [.cat($0)] } ?? []))
        let certified = faults.publicKey ?? publicKey
        var notBefore = now - Self.backdating
        var notAfter = min(now + Self.nodeYears * Self.year, root.notAfter)
        if faults.isNotBackdated { notBefore = now }
        if faults.isExpired { (notBefore, notAfter) = (now - 2 * Self.year, now - Self.year) }
        if faults.isNotYetValid { (notBefore, notAfter) = (now + Self.year, now + 2 * Self.year) }
        let contents = try TBSCertificate(
            serialNumber: try Self.serialNumber(random), issuer: root.subject, notBefore: notBefore,
            notAfter: notAfter, subject: name, publicKey: certified,
            extensions: [
                .keyUsage(.digitalSignature), .basicConstraints(BasicConstraints(isCA: false)),
                .subjectKeyIdentifier(certified.keyIdentifier),
                .authorityKeyIdentifier(root.publicKey.keyIdentifier),
                .extendedKeyUsage([.serverAuth, .clientAuth]),
            ])
        return try MatterCertificate(contents, signature: try (faults.signer ?? key).sign(contents.der()))
    }

    private static func serialNumber(_ random: any RandomSource) throws -> [UInt8] {
        var octets = try random.bytes(8)
        octets[0] = octets[0] & 0x3F | 0x40
        return octets
    }
}
