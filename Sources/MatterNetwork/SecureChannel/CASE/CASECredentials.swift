package import MatterCrypto

/// A node's membership of a fabric as CASE uses it: its chain and key, and every key that may name the fabric.
package struct CASECredentials: Sendable {
    package var operational: OperationalCredentials
    /// Operational identity protection keys, the current one first; a responder may hold up to three.
    var identityProtectionKeys: [SecretBytes]
    /// The index of the fabric in a device's own table.
    package var fabricIndex: UInt8?

    package init(
        _ operational: OperationalCredentials, furtherIdentityProtectionKeys: [SecretBytes] = [],
        fabricIndex: UInt8? = nil
    ) {
        self.operational = operational
        identityProtectionKeys = [operational.operationalIPK] + furtherIdentityProtectionKeys
        self.fabricIndex = fabricIndex
    }

    package var nodeID: NodeID { operational.nodeID }

    func destinationID(
        ipk: SecretBytes, initiatorRandom: [UInt8], node: NodeID
    ) throws(CredentialsError) -> [UInt8] {
        try operational.fabric.destinationID(nodeID: node, ipk: ipk, initiatorRandom: initiatorRandom)
    }

    /// Signs with the operational key what the peer will check, and encrypts it with our chain.
    func proof(
        key: SecretBytes, nonce: [UInt8], ownKey: [UInt8], peerKey: [UInt8], resumptionID: [UInt8]?
    ) throws(CryptoError) -> [UInt8] {
        let noc = operational.noc.tlv
        let icac = operational.icac?.tlv
        let signature = try operational.key.sign(
            SigmaProof.signed(noc: noc, icac: icac, senderKey: ownKey, receiverKey: peerKey))
        let proof = SigmaProof(noc: noc, icac: icac, signature: signature, resumptionID: resumptionID)
        return try AES128CCM(key: key).seal(proof.encoded(), nonce: nonce, aad: [])
    }

    /// Checks a peer's chain against our root and its signature against its certificate.
    func identify(
        _ proof: SigmaProof, peerKey: [UInt8], ownKey: [UInt8], time: ValidationTime, role: PeerRole
    ) throws -> NodeIdentity {
        let chain = try OperationalChain(noc: proof.noc, icac: proof.icac, root: operational.root)
        let identity = try chain.validate(at: time, requiring: role)
        guard identity.fabricID == operational.fabric.fabricID else {
            throw SecureChannelError(.wrongPeer, "the peer's certificate is for fabric \(identity.fabricID)")
        }
        let signed = SigmaProof.signed(
            noc: proof.noc, icac: proof.icac, senderKey: peerKey, receiverKey: ownKey)
        guard identity.publicKey.isValidSignature(proof.signature, for: signed) else {
            throw SecureChannelError(.invalidCredentials, "the peer's signature does not match its certificate")
        }
        return identity
    }
}
