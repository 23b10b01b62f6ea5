/// Everything of one fabric that a controller with its own certificate authority keeps: the authority and the
/// controller's own membership.
public struct LocalFabric: Sendable {
    package let authority: CertificateAuthorityMaterial
    package let credentials: OperationalCredentials

    package var fabricID: FabricID { authority.fabricID }

    /// Makes a new fabric: an authority, an identity protection key, and the controller's own certificate.
    ///
    /// - Parameters:
    ///   - nodeID: the controller's own node id; a random one by default.
    ///   - cats: the tags of the controller's certificate.
    /// - Throws: ``CredentialsError``, or ``CryptoError`` if the library fails.
    public static func create(
        fabricID: FabricID? = nil, nodeID: NodeID? = nil, cats: [CASEAuthenticatedTag] = [],
        withIntermediate: Bool = false, validity: CertificateValidity, random: any RandomSource = SystemRandom()
    ) throws(CredentialsError) -> LocalFabric {
        let fabricID = if let fabricID { fabricID } else { try FabricID.random(random) }
        let nodeID = if let nodeID { nodeID } else { try NodeID.random(random) }
        let authority = try CertificateAuthorityMaterial.generate(
            fabricID: fabricID, withIntermediate: withIntermediate, validity: validity, random: random)
        let key = try cryptographic { () throws(CryptoError) in try P256PrivateKey.generate(random) }
        let ipk = try cryptographic { () throws(CryptoError) in try random.secret(FabricIdentity.groupKeyCount) }
        let (noc, icac) = try authority.issueNode(
            nodeID: nodeID, cats: cats, publicKey: key.publicKey, validity: validity, random: random)
        let chain = OperationalChain(noc: noc, icac: icac, root: authority.root)
        return LocalFabric(
            authority: authority,
            credentials: try OperationalCredentials(chain: chain, key: key, ipkEpochKey: ipk))
    }

    // memberwise: package

    /// Takes over a fabric from another controller.
    ///
    /// - Parameters:
    ///   - chain: the other controller's own certificates.
    ///   - keys: private keys in any order, each of which must belong to one of the certificates. The node certificate's
    ///     must be among them; without the root's or intermediate's nothing can be issued.
    ///   - ipk: the identity protection key as it was handed out, 16 bytes.
    ///   - time: what is known of the time.
    /// - Throws: ``CredentialsError`` that says what does not fit.
    public init(
        importing chain: OperationalChain, keys: [P256PrivateKey], ipk: SecretBytes, at time: ValidationTime
    ) throws(CredentialsError) {
        try OperationalChain.validate(root: chain.root, at: time)
        let identity = try chain.validate(at: time)
        for key in keys {
            guard [chain.noc, chain.icac, chain.root].contains(where: { $0?.publicKey == key.publicKey }) else {
                throw CredentialsError(.keyMismatch, "a private key belongs to none of the certificates")
            }
        }
        guard let key = keys.first(where: { $0.publicKey == chain.noc.publicKey }) else {
            throw CredentialsError(
                .keyMismatch, "the private key of the node certificate is missing", certificate: .node)
        }
        authority = try CertificateAuthorityMaterial(
            fabricID: identity.fabricID, root: chain.root,
            rootKey: keys.first { $0.publicKey == chain.root.publicKey }?.scalar, intermediate: chain.icac,
            intermediateKey: chain.icac.flatMap { icac in keys.first { $0.publicKey == icac.publicKey }?.scalar })
        credentials = try OperationalCredentials(chain: chain, key: key, ipkEpochKey: ipk)
    }

    /// Goes on as the controller of another program, by a new key pair and a certificate that the authority issues for it: nodes
    /// look at the ids and tags in it.
    ///
    /// - Parameters:
    ///   - nodeID: that of the other program.
    ///   - cats: the tags of the other program's certificate.
    ///   - ipk: the identity protection key as it was handed out, 16 bytes.
    /// - Throws: ``CredentialsError``, `issuer.no-signing-key` without the authority's key among it.
    package init(
        continuing authority: CertificateAuthorityMaterial, nodeID: NodeID, cats: [CASEAuthenticatedTag],
        ipk: SecretBytes, validity: CertificateValidity, random: any RandomSource = SystemRandom()
    ) throws(CredentialsError) {
        let key = try cryptographic { () throws(CryptoError) in try P256PrivateKey.generate(random) }
        let (noc, icac) = try authority.issueNode(
            nodeID: nodeID, cats: cats, publicKey: key.publicKey, validity: validity, random: random)
        self.authority = authority
        credentials = try OperationalCredentials(
            chain: OperationalChain(noc: noc, icac: icac, root: authority.root), key: key, ipkEpochKey: ipk)
    }

    /// The issuer for further nodes, with the controller itself as their administrator.
    ///
    /// - Parameter caseAdminSubject: who administers them; the controller's node id by default.
    package func issuer(
        adminVendorID: VendorID, caseAdminSubject: NodeID? = nil, random: any RandomSource = SystemRandom(),
        validity: @escaping @Sendable () -> CertificateValidity
    ) throws(CredentialsError) -> LocalCertificateAuthority {
        let parameters = try FabricParameters(
            rootCertificate: authority.root, ipk: credentials.ipkEpochKey,
            caseAdminSubject: caseAdminSubject ?? credentials.nodeID, adminVendorID: adminVendorID)
        return try LocalCertificateAuthority(
            material: authority, parameters: parameters, random: random, validity: validity)
    }
}
