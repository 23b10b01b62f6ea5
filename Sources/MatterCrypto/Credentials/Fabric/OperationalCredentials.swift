/// One node's own membership of a fabric: its certificate chain, the private key to it, and the fabric's keys. CASE needs
/// exactly this (Matter core specification, 6.4).
public struct OperationalCredentials: Sendable {
    package let fabric: FabricIdentity
    package let chain: OperationalChain
    /// The private key of the node operational certificate.
    package let key: P256PrivateKey
    /// The identity protection key as AddNOC hands it out, 16 bytes.
    package let ipkEpochKey: SecretBytes
    /// The identity protection key as CASE uses it, 16 bytes.
    package let operationalIPK: SecretBytes
    /// The node's identity in the chain.
    public let identity: NodeIdentity

    package var root: MatterCertificate { chain.root }
    package var icac: MatterCertificate? { chain.icac }
    package var noc: MatterCertificate { chain.noc }
    package var nodeID: NodeID { identity.nodeID }

    /// Puts together what belongs together. Signatures are not checked, so that a process starts quickly on records
    /// that were checked when they were made: ``validate(at:)`` does.
    ///
    /// - Throws: ``CredentialsError`` if the key is another certificate's, the certificates are of different fabrics, or
    ///   the identity protection key has another size.
    package init(chain: OperationalChain, key: P256PrivateKey, ipkEpochKey: SecretBytes) throws(CredentialsError) {
        identity = try chain.identity
        guard key.publicKey == chain.noc.publicKey else {
            throw CredentialsError(.keyMismatch, "the private key belongs to another certificate", certificate: .node)
        }
        fabric = try FabricIdentity(rootPublicKey: chain.root.publicKey, fabricID: identity.fabricID)
        operationalIPK = try fabric.operationalIPK(epochKey: ipkEpochKey)
        self.chain = chain
        self.key = key
        self.ipkEpochKey = ipkEpochKey
    }

    /// The same membership with another identity protection key.
    package func replacing(ipkEpochKey: SecretBytes) throws(CredentialsError) -> OperationalCredentials {
        try OperationalCredentials(chain: chain, key: key, ipkEpochKey: ipkEpochKey)
    }

    /// Checks the whole chain and the root.
    package func validate(at time: ValidationTime) throws(CredentialsError) {
        try OperationalChain.validate(root: chain.root, at: time)
        _ = try chain.validate(at: time)
    }
}
