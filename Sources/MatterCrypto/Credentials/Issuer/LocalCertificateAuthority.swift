/// The issuer that is part of this program: a certificate authority whose keys lie in the state directory.
package struct LocalCertificateAuthority: NOCIssuer {
    let material: CertificateAuthorityMaterial
    /// The parameters of the fabric for devices.
    package let parameters: FabricParameters

    private let validity: @Sendable () -> CertificateValidity
    private let random: any RandomSource

    /// - Parameters:
    ///   - validity: the validity of certificates issued now; see ``CertificateValidity/unlimited(from:)``.
    /// - Throws: ``CredentialsError`` if parameters and material have different roots.
    init(
        material: CertificateAuthorityMaterial, parameters: FabricParameters,
        random: any RandomSource = SystemRandom(), validity: @escaping @Sendable () -> CertificateValidity
    ) throws(CredentialsError) {
        guard parameters.rootCertificate == material.root else {
            throw CredentialsError(
                .rootMismatch, "the fabric has another root certificate than its certificate authority")
        }
        self.material = material
        self.parameters = parameters
        self.random = random
        self.validity = validity
    }

    package func prepare() async throws -> FabricParameters? {
        _ = try material.signingAuthority()
        return parameters
    }

    package func issue(
        _ csr: CertificateSigningRequest, context: NOCIssueContext
    ) async throws -> IssuedNOC {
        try issue(csr, nodeID: context.requestedNodeID)
    }

    /// Issues the certificate for a request, with a random node id if none is given.
    /// - Throws: ``CredentialsError``: `issuer.no-signing-key` where the authority's key is elsewhere,
    ///   `issuer.unusable-node-id` for a node id that no node can have.
    package func issue(
        _ csr: CertificateSigningRequest, nodeID: NodeID? = nil, cats: [CASEAuthenticatedTag] = []
    ) throws(CredentialsError) -> IssuedNOC {
        try issue(publicKey: csr.publicKey, nodeID: nodeID, cats: cats)
    }

    /// Issues a controller its own membership of the fabric.
    package func issueOwnCredentials(
        key: P256PrivateKey, nodeID: NodeID? = nil, cats: [CASEAuthenticatedTag] = []
    ) throws(CredentialsError) -> OperationalCredentials {
        let issued = try issue(publicKey: key.publicKey, nodeID: nodeID, cats: cats)
        return try OperationalCredentials(
            chain: OperationalChain(noc: issued.noc, icac: issued.icac, root: material.root), key: key,
            ipkEpochKey: parameters.ipk)
    }

    private func issue(
        publicKey: P256PublicKey, nodeID requested: NodeID?, cats: [CASEAuthenticatedTag]
    ) throws(CredentialsError) -> IssuedNOC {
        let nodeID = if let requested { requested } else { try NodeID.random(random) }
        let (noc, icac) = try material.issueNode(
            nodeID: nodeID, cats: cats, publicKey: publicKey, validity: validity(), random: random)
        let serial = noc.serialNumber.map { HexDigits.text($0) }.joined()
        return IssuedNOC(
            noc: noc, icac: icac, nodeID: nodeID, receipt: NOCReceipt(rawValue: serial))
    }
}
