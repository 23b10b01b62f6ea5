/// How long issued certificates are valid, in Matter time (Matter core specification, 6.5).
public struct CertificateValidity: Hashable, Sendable {
    /// How far back validity begins, so that a device whose clock is a little late accepts the certificate.
    package static let backdating: UInt32 = 3600

    package let notBefore: UInt32
    package let notAfter: UInt32

    /// Valid from an hour ago without end: devices with a wrong clock keep working.
    package static func unlimited(from now: UInt32) -> CertificateValidity {
        CertificateValidity(notBefore: start(now), notAfter: MatterEpoch.none)
    }

    /// Valid from an hour ago for ten years.
    package static func tenYears(from now: UInt32) -> CertificateValidity {
        let seconds: UInt32 = (10 * 365 + 2) * 86_400
        let (end, overflow) = now.addingReportingOverflow(seconds)
        return CertificateValidity(notBefore: start(now), notAfter: overflow ? .max : end)
    }

    /// The earliest time is 1, because 0 means no date.
    private static func start(_ now: UInt32) -> UInt32 { now > backdating ? now - backdating : 1 }
}

extension MatterCertificate {
    /// Octets of random serial numbers. With more, a node certificate with three tags under an intermediate one would
    /// exceed 600 bytes.
    private static let serialNumberCount = 8

    /// A self-signed root certificate (RCAC).
    static func issueRoot(
        id: UInt64, fabricID: FabricID?, key: P256PrivateKey, validity: CertificateValidity, random: any RandomSource
    ) throws(CredentialsError) -> MatterCertificate {
        let name = try DistinguishedName(
            [DistinguishedNameAttribute(.rcacID, .identifier(id))] + (fabricID.map { [.fabricID($0)] } ?? []))
        return try issue(
            subject: name, issuer: name, publicKey: key.publicKey, validity: validity,
            extensions: [
                .basicConstraints(BasicConstraints(isCA: true)),
                .keyUsage([.keyCertSign, .crlSign]),
                .subjectKeyIdentifier(key.publicKey.keyIdentifier),
                .authorityKeyIdentifier(key.publicKey.keyIdentifier),
            ], signedWith: key, random: random)
    }

    /// An intermediate certificate (ICAC), which issues node certificates only.
    static func issueIntermediate(
        id: UInt64, fabricID: FabricID?, publicKey: P256PublicKey, under root: MatterCertificate,
        signedWith key: P256PrivateKey, validity: CertificateValidity, random: any RandomSource
    ) throws(CredentialsError) -> MatterCertificate {
        let name = try DistinguishedName(
            [DistinguishedNameAttribute(.icacID, .identifier(id))] + (fabricID.map { [.fabricID($0)] } ?? []))
        return try issue(
            subject: name, issuer: root.subject, publicKey: publicKey, validity: validity,
            extensions: [
                .basicConstraints(BasicConstraints(isCA: true, pathLength: 0)),
                .keyUsage([.keyCertSign, .crlSign]),
                .subjectKeyIdentifier(publicKey.keyIdentifier),
                .authorityKeyIdentifier(root.subjectKeyIdentifier ?? root.publicKey.keyIdentifier),
            ], signedWith: key, random: random)
    }

    /// A node operational certificate (NOC).
    /// - Parameter authority: the certificate whose key is `key`.
    static func issueNode(
        nodeID: NodeID, fabricID: FabricID, cats: [CASEAuthenticatedTag] = [], publicKey: P256PublicKey,
        under authority: MatterCertificate, signedWith key: P256PrivateKey, validity: CertificateValidity,
        random: any RandomSource
    ) throws(CredentialsError) -> MatterCertificate {
        try CASEAuthenticatedTag.check(cats)
        let name = try DistinguishedName([.nodeID(nodeID), .fabricID(fabricID)] + cats.sorted().map { .cat($0) })
        return try issue(
            subject: name, issuer: authority.subject, publicKey: publicKey, validity: validity,
            extensions: [
                .basicConstraints(BasicConstraints(isCA: false)),
                .keyUsage(.digitalSignature),
                .extendedKeyUsage([.clientAuth, .serverAuth]),
                .subjectKeyIdentifier(publicKey.keyIdentifier),
                .authorityKeyIdentifier(authority.subjectKeyIdentifier ?? authority.publicKey.keyIdentifier),
            ], signedWith: key, random: random)
    }

    private static func issue(
        subject: DistinguishedName, issuer: DistinguishedName, publicKey: P256PublicKey,
        validity: CertificateValidity, extensions: [CertificateExtension], signedWith key: P256PrivateKey,
        random: any RandomSource
    ) throws(CredentialsError) -> MatterCertificate {
        let contents = try TBSCertificate(
            serialNumber: try serialNumber(random), issuer: issuer, notBefore: validity.notBefore,
            notAfter: validity.notAfter, subject: subject, publicKey: publicKey, extensions: extensions)
        let signature = try cryptographic { () throws(CryptoError) in try key.sign(contents.der()) }
        let certificate = try MatterCertificate(contents, signature: signature)
        // Long names from an imported authority could exceed the limit of the other form only.
        _ = try certificate.der()
        return certificate
    }

    /// A positive number whose first byte is neither 0 nor negative, so that it is its own shortest encoding.
    private static func serialNumber(_ random: any RandomSource) throws(CredentialsError) -> [UInt8] {
        var octets = try cryptographic { () throws(CryptoError) in try random.bytes(serialNumberCount) }
        if let first = octets.first { octets[0] = first & 0x3F | 0x40 }
        return octets
    }
}

extension NodeID {
    /// A random operational node id.
    package static func random(_ random: any RandomSource) throws(CredentialsError) -> NodeID {
        // All but one in 2^28 numbers are operational; a source that never gives one is broken.
        for _ in 0..<8 {
            let id = NodeID(try cryptographic { () throws(CryptoError) in try random.integer(UInt64.self) })
            if id.isOperational { return id }
        }
        throw CredentialsError(.cryptography, "the random source gives no operational node id")
    }
}

extension FabricID {
    /// A random fabric id.
    package static func random(_ random: any RandomSource) throws(CredentialsError) -> FabricID {
        for _ in 0..<8 {
            let id = FabricID(try cryptographic { () throws(CryptoError) in try random.integer(UInt64.self) })
            if id.isValid { return id }
        }
        throw CredentialsError(.cryptography, "the random source gives no fabric id")
    }
}
