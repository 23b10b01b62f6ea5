/// A certificate authority as it is kept: certificates, and the private keys that are here.
///
/// The keys are checked against the certificates when they are first used, not when the record is read, so that commands
/// which issue nothing pay nothing for them.
package struct CertificateAuthorityMaterial: Sendable, Equatable {
    package let fabricID: FabricID
    package let root: MatterCertificate
    /// The private scalar of the root's key, 32 bytes; `nil` where another machine keeps it.
    package let rootKey: SecretBytes?
    /// The certificate between root and nodes; without one the root issues node certificates itself.
    package let intermediate: MatterCertificate?
    /// The private scalar of the intermediate's key.
    package let intermediateKey: SecretBytes?

    /// Restores an authority from its parts.
    /// - Throws: ``CredentialsError`` if root or intermediate are invalid or of another fabric.
    package init(
        fabricID: FabricID, root: MatterCertificate, rootKey: SecretBytes?, intermediate: MatterCertificate? = nil,
        intermediateKey: SecretBytes? = nil
    ) throws(CredentialsError) {
        guard fabricID.isValid else { throw CredentialsError(.invalidFabricID, "the fabric id is 0") }
        try CertificateProfile.check(root, as: .root, authoritiesBelow: intermediate == nil ? 0 : 1)
        if let intermediate {
            try CertificateProfile.check(intermediate, as: .intermediate)
            guard intermediate.issuer == root.subject else {
                throw CredentialsError(.issuerMismatch, "the root did not issue it", certificate: .intermediate)
            }
        }
        for (certificate, role) in [(root, CertificateRole.root)] + (intermediate.map { [($0, .intermediate)] } ?? []) {
            if let other = certificate.fabricID, other != fabricID {
                throw CredentialsError(
                    .fabricMismatch, "it is for the fabric \(other), not \(fabricID)", certificate: role)
            }
        }
        self.fabricID = fabricID
        self.root = root
        self.rootKey = rootKey
        self.intermediate = intermediate
        self.intermediateKey = intermediateKey
    }

    /// Makes a new authority.
    /// - Parameter withIntermediate: whether an intermediate certificate issues the node certificates.
    package static func generate(
        fabricID: FabricID, withIntermediate: Bool = false, validity: CertificateValidity,
        random: any RandomSource = SystemRandom()
    ) throws(CredentialsError) -> CertificateAuthorityMaterial {
        let rootKey = try cryptographic { () throws(CryptoError) in try P256PrivateKey.generate(random) }
        let root = try MatterCertificate.issueRoot(
            id: try randomID(random), fabricID: fabricID, key: rootKey, validity: validity, random: random)
        guard withIntermediate else {
            return try CertificateAuthorityMaterial(fabricID: fabricID, root: root, rootKey: rootKey.scalar)
        }
        let key = try cryptographic { () throws(CryptoError) in try P256PrivateKey.generate(random) }
        let intermediate = try MatterCertificate.issueIntermediate(
            id: try randomID(random), fabricID: fabricID, publicKey: key.publicKey, under: root, signedWith: rootKey,
            validity: validity, random: random)
        return try CertificateAuthorityMaterial(
            fabricID: fabricID, root: root, rootKey: rootKey.scalar, intermediate: intermediate,
            intermediateKey: key.scalar)
    }

    /// True if node certificates can be issued here.
    package var canIssue: Bool { signer != nil }

    /// The lowest authority whose key is here: the intermediate's, or else the root's.
    private var signer: (certificate: MatterCertificate, scalar: SecretBytes, role: CertificateRole)? {
        if let intermediate, let intermediateKey { return (intermediate, intermediateKey, .intermediate) }
        return rootKey.map { (root, $0, .root) }
    }

    /// The certificate that signs node certificates, and its private key.
    /// - Throws: `issuer.no-signing-key` where no key is here, `certificate.key-mismatch` if it is another one's.
    func signingAuthority() throws(CredentialsError) -> (certificate: MatterCertificate, key: P256PrivateKey) {
        guard let signer else {
            throw CredentialsError(
                .noSigningKey,
                "the private key of this fabric's certificate authority is not here, so no certificate can be issued; "
                    + "it is where the fabric was made or imported from")
        }
        let key = try cryptographic { () throws(CryptoError) in try P256PrivateKey(scalar: signer.scalar) }
        guard key.publicKey == signer.certificate.publicKey else {
            throw CredentialsError(
                .keyMismatch, "the private key belongs to another certificate", certificate: signer.role)
        }
        return (signer.certificate, key)
    }

    /// Issues a node certificate, with the intermediate certificate above it if that signed it.
    func issueNode(
        nodeID: NodeID, cats: [CASEAuthenticatedTag], publicKey: P256PublicKey, validity: CertificateValidity,
        random: any RandomSource
    ) throws(CredentialsError) -> (noc: MatterCertificate, icac: MatterCertificate?) {
        guard nodeID.isOperational else {
            throw CredentialsError(.unusableNodeID, "the node id \(nodeID) is outside the operational range")
        }
        let authority = try signingAuthority()
        let noc = try MatterCertificate.issueNode(
            nodeID: nodeID, fabricID: fabricID, cats: cats, publicKey: publicKey, under: authority.certificate,
            signedWith: authority.key, validity: validity, random: random)
        return (noc, authority.certificate == root ? nil : authority.certificate)
    }

    private static func randomID(_ random: any RandomSource) throws(CredentialsError) -> UInt64 {
        try NodeID.random(random).rawValue
    }
}
