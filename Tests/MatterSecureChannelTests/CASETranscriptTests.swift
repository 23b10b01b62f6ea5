import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Handshakes of a commercial controller with a device whose ephemeral key is known. ECDSA signatures are random, so
/// the device's part is compared up to its signature.
@Suite(.vectors, .enabled(if: Vectors.available)) struct CASETranscriptTests {
    struct File: Decodable {
        var handshakes: [Transcript]
    }

    struct Transcript: Decodable {
        struct Fabric: Decodable {
            var rootCertTlv, ipkEpochKey, operationalIpk: String
            var fabricId: UInt64
        }
        struct Proof: Decodable {
            var noc, signature: String
            var icac, resumptionId: String?
        }
        var fabric: Fabric
        var tbe2, tbe3: Proof
        var sigma1, sigma2, sigma3, responderEphPrivateKey, sharedSecret, S2K, S3K: String
        var i2rKey, r2iKey, attestationChallenge: String
        var initiatorNodeId, responderNodeId: UInt64
        var initiatorSessionId, responderSessionId: UInt16

        var ipk: SecretBytes { SecretBytes(hex(fabric.operationalIpk)) }
        var secret: SecretBytes { SecretBytes(hex(sharedSecret)) }
    }

    private static func runs() throws -> [Transcript] {
        try Vectors.cases("case-transcripts.json") { (file: File) in file.handshakes }
    }

    private func root(_ run: Transcript) throws -> MatterCertificate {
        try MatterCertificate(tlv: hex(run.fabric.rootCertTlv))
    }

    @Test("the recorded messages are encoded as we encode them", arguments: try runs())
    func codec(run: Transcript) throws {
        #expect(try Sigma1(decoding: hex(run.sigma1)).encoded() == hex(run.sigma1))
        #expect(try Sigma2(decoding: hex(run.sigma2), base: .standard).encoded() == hex(run.sigma2))
        #expect(try Sigma3.encoded(Sigma3.decode(hex(run.sigma3))) == hex(run.sigma3))
    }

    @Test("the key schedule gives every recorded key", arguments: try runs())
    func keys(run: Transcript) throws {
        let ephemeral = try P256PrivateKey(scalar: SecretBytes(hex(run.responderEphPrivateKey)))
        let sigma1 = try Sigma1(decoding: hex(run.sigma1))
        let sigma2 = try Sigma2(decoding: hex(run.sigma2), base: .standard)
        #expect(try ephemeral.sharedSecret(with: P256PublicKey(x963: sigma1.ephemeralKey)) == run.secret)
        #expect(ephemeral.publicKey.x963 == sigma2.ephemeralKey)
        let s2k = try CASEKeySchedule.sigma2Key(
            secret: run.secret, ipk: run.ipk, responderRandom: sigma2.responderRandom,
            responderKey: sigma2.ephemeralKey, sigma1: hex(run.sigma1))
        #expect(hexString(s2k.copyBytes()) == run.S2K)
        let s3k = try CASEKeySchedule.sigma3Key(
            secret: run.secret, ipk: run.ipk, sigma1: hex(run.sigma1), sigma2: hex(run.sigma2))
        #expect(hexString(s3k.copyBytes()) == run.S3K)
        let session = try CASEKeySchedule.sessionKeys(
            secret: run.secret, ipk: run.ipk, sigma1: hex(run.sigma1), sigma2: hex(run.sigma2),
            sigma3: hex(run.sigma3))
        #expect(
            session.all.map { hexString($0.copyBytes()) } == [run.i2rKey, run.r2iKey, run.attestationChallenge])
    }

    @Test(
        "both recorded proofs open, hold the recorded fields, and their chains and signatures are valid",
        arguments: try runs())
    func proofs(run: Transcript) throws {
        let initiatorKey = try Sigma1(decoding: hex(run.sigma1)).ephemeralKey
        let sigma2 = try Sigma2(decoding: hex(run.sigma2), base: .standard)
        let sides: [(Transcript.Proof, String, [UInt8], [UInt8], [UInt8], [UInt8], UInt64, PeerRole)] = [
            (
                run.tbe2, run.S2K, sigma2.encrypted, CASEKeySchedule.sigma2Nonce, sigma2.ephemeralKey, initiatorKey,
                run.responderNodeId, .server
            ),
            (
                run.tbe3, run.S3K, try Sigma3.decode(hex(run.sigma3)), CASEKeySchedule.sigma3Nonce, initiatorKey,
                sigma2.ephemeralKey, run.initiatorNodeId, .client
            ),
        ]
        for (recorded, key, sealed, nonce, sender, receiver, node, role) in sides {
            let plaintext = try AES128CCM(key: SecretBytes(hex(key))).open(sealed, nonce: nonce)
            let proof = try SigmaProof(decoding: plaintext, fromResponder: role == .server)
            #expect(proof.encoded() == plaintext)
            #expect(hexString(proof.noc) == recorded.noc && proof.icac.map(hexString) == recorded.icac)
            #expect(hexString(proof.signature) == recorded.signature)
            #expect(proof.resumptionID.map(hexString) == recorded.resumptionId)
            let identity = try OperationalChain(noc: proof.noc, icac: proof.icac, root: root(run))
                .validate(at: .none, requiring: role)
            #expect(identity.nodeID == NodeID(node) && identity.fabricID == FabricID(run.fabric.fabricId))
            let signed = SigmaProof.signed(
                noc: proof.noc, icac: proof.icac, senderKey: sender, receiverKey: receiver)
            #expect(identity.publicKey.isValidSignature(proof.signature, for: signed))
            let swapped = SigmaProof.signed(
                noc: proof.noc, icac: proof.icac, senderKey: receiver, receiverKey: sender)
            #expect(!identity.publicKey.isValidSignature(proof.signature, for: swapped))
        }
    }

    @Test(
        "in the device's place we find the fabric and answer with the recorded fields under the recorded key",
        arguments: try runs())
    func responder(run: Transcript) throws {
        let recorded = try Sigma2(decoding: hex(run.sigma2), base: .standard)
        let resumptionID = hex(try #require(run.tbe2.resumptionId))
        // The device's operational key is not in the recording: this is a stand-in for it.
        let key = try P256PrivateKey.generate(SeededRandom(1))
        let noc = try MatterCertificate.issueNode(
            nodeID: NodeID(run.responderNodeId), fabricID: FabricID(run.fabric.fabricId),
            publicKey: key.publicKey, under: root(run), signedWith: key,
            validity: CertificateValidity(notBefore: 1, notAfter: 0), random: SeededRandom(2))
        let credentials = try OperationalCredentials(
            chain: OperationalChain(noc: noc, icac: nil, root: root(run)), key: key,
            ipkEpochKey: SecretBytes(hex(run.fabric.ipkEpochKey)))
        #expect(credentials.operationalIPK == run.ipk)
        var device = CASEResponder(
            fabrics: [CASECredentials(credentials, fabricIndex: 1)], localSessionID: run.responderSessionId,
            parameters: nil, time: .none,
            random: ScriptedRandom(hex(run.responderEphPrivateKey), recorded.responderRandom, resumptionID))
        let step = try device.handle(HandshakeMessage(.sigma1, hex(run.sigma1)))
        let sent = try #require(step.send)
        var sigma2 = try Sigma2(decoding: sent.payload, base: .standard)
        let plaintext = try AES128CCM(key: SecretBytes(hex(run.S2K)))
            .open(sigma2.encrypted, nonce: CASEKeySchedule.sigma2Nonce)
        let proof = try SigmaProof(decoding: plaintext, fromResponder: true)
        #expect(proof.resumptionID == resumptionID && proof.noc == noc.tlv && proof.icac == nil)
        sigma2.encrypted = recorded.encrypted
        #expect(sent.opcode == .sigma2 && sigma2.encoded() == hex(run.sigma2))
        #expect(device.peerParameters?.specificationVersion == 0x0104_0000)

        // Sigma3 was made for the recorded Sigma2.
        let error = #expect(throws: SecureChannelError.self) {
            try device.handle(HandshakeMessage(.sigma3, hex(run.sigma3)))
        }
        #expect(error?.code == .invalidCredentials)
    }

    @Test("destination identifiers", arguments: try runs())
    func destinationIDs(run: Transcript) throws {
        let sigma1 = try Sigma1(decoding: hex(run.sigma1))
        let fabric = try FabricIdentity(
            rootPublicKey: root(run).publicKey, fabricID: FabricID(run.fabric.fabricId))
        #expect(
            try fabric.destinationID(
                nodeID: NodeID(run.responderNodeId), ipk: run.ipk, initiatorRandom: sigma1.initiatorRandom)
                == sigma1.destinationID)
    }
}
