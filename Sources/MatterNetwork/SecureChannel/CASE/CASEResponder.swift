package import MatterCrypto

/// The device's side of CASE for all of its fabrics (Matter core specification 4.14.2).
package struct CASEResponder: Handshake {
    /// Finds the record of an earlier session by its resumption id.
    package typealias ResumptionLookup = @Sendable (_ resumptionID: [UInt8]) -> ResumptionRecord?

    private struct Answer {
        var fabric: CASECredentials
        var ipk: SecretBytes
        var secret: SecretBytes
        var sigma1: [UInt8]
        var sigma2: [UInt8]
        var initiatorKey: [UInt8]
        var ownKey: [UInt8]
        var resumptionID: [UInt8]
        var initiatorRandom: [UInt8]
        var sigma2Key: SecretBytes
    }

    private enum State {
        case fresh
        case awaitingSigma3(Answer)
        case awaitingResumeStatus(EstablishedSession)
        case done
    }

    private let fabrics: [CASECredentials]
    private let localSessionID: UInt16
    private let ownParameters: SessionParameters?
    private let findResumption: ResumptionLookup
    private let time: ValidationTime
    private let random: any RandomSource
    private var state = State.fresh
    private var peerSessionID: UInt16 = 0
    package private(set) var peerParameters: SessionParameters?

    /// - Parameters:
    ///   - localSessionID: the id that the peer is to put into its messages.
    ///   - parameters: what is said of ourselves; `nil` says nothing, as older devices do.
    ///   - time: for the validity of the peer's certificates.
    package init(
        fabrics: [CASECredentials], localSessionID: UInt16, parameters: SessionParameters? = .own,
        findResumption: @escaping ResumptionLookup = { _ in nil }, time: ValidationTime, random: any RandomSource
    ) {
        self.fabrics = fabrics
        self.localSessionID = localSessionID
        ownParameters = parameters
        self.findResumption = findResumption
        self.time = time
        self.random = random
    }

    package mutating func start() throws(SecureChannelError) -> HandshakeStep { HandshakeStep() }

    package mutating func handle(_ message: HandshakeMessage) throws(SecureChannelError) -> HandshakeStep {
        let current = state
        state = .done
        switch (current, message.opcode) {
        case (.fresh, .sigma1):
            return try handshake("Sigma1") { try handleSigma1(message.payload) }
        case (.awaitingSigma3(let answer), .sigma3):
            return try handshake("Sigma3") { try handleSigma3(message.payload, answer: answer) }
        case (.awaitingResumeStatus(let session), .statusReport):
            let report = try StatusReport(decoding: message.payload)
            guard report.isSuccess else { throw SecureChannelError(reported: report) }
            return HandshakeStep(established: session)
        case (_, .statusReport):
            throw SecureChannelError(reported: try StatusReport(decoding: message.payload))
        default:
            throw SecureChannelError(.malformed, "a message out of turn in CASE: \(message.opcode)")
        }
    }

    private mutating func handleSigma1(_ payload: [UInt8]) throws -> HandshakeStep {
        let sigma1 = try Sigma1(decoding: payload)
        guard sigma1.initiatorSessionID != 0 else {
            throw SecureChannelError(.malformed, "Sigma1 offers session id 0")
        }
        peerSessionID = sigma1.initiatorSessionID
        peerParameters = sigma1.parameters ?? SessionParameters()
        if let step = try resume(sigma1) { return step }
        guard let (fabric, ipk) = try match(sigma1) else {
            throw SecureChannelError(
                .noSharedTrustRoots, "the initiator seeks an unknown fabric or node",
                reply: .noSharedTrustRoots)
        }
        let ephemeral = try P256PrivateKey.generate(random)
        let secret = try ephemeral.sharedSecret(with: P256PublicKey(x963: sigma1.ephemeralKey))
        let responderRandom = try random.bytes(32)
        let resumptionID = try random.bytes(16)
        let key = try CASEKeySchedule.sigma2Key(
            secret: secret, ipk: ipk, responderRandom: responderRandom, responderKey: ephemeral.publicKey.x963,
            sigma1: payload)
        let sigma2 = Sigma2(
            responderRandom: responderRandom, responderSessionID: localSessionID,
            ephemeralKey: ephemeral.publicKey.x963,
            encrypted: try fabric.proof(
                key: key, nonce: CASEKeySchedule.sigma2Nonce, ownKey: ephemeral.publicKey.x963,
                peerKey: sigma1.ephemeralKey, resumptionID: resumptionID),
            parameters: ownParameters
        ).encoded()
        state = .awaitingSigma3(
            Answer(
                fabric: fabric, ipk: ipk, secret: secret, sigma1: payload, sigma2: sigma2,
                initiatorKey: sigma1.ephemeralKey, ownKey: ephemeral.publicKey.x963, resumptionID: resumptionID,
                initiatorRandom: sigma1.initiatorRandom, sigma2Key: key))
        return HandshakeStep(send: HandshakeMessage(.sigma2, sigma2))
    }

    /// The fabric, and the one of its keys, that the destination id was made with.
    private func match(_ sigma1: Sigma1) throws -> (CASECredentials, SecretBytes)? {
        for fabric in fabrics {
            for ipk in fabric.identityProtectionKeys {
                let candidate = try fabric.destinationID(
                    ipk: ipk, initiatorRandom: sigma1.initiatorRandom, node: fabric.nodeID)
                if constantTimeEqual(candidate, sigma1.destinationID) { return (fabric, ipk) }
            }
        }
        return nil
    }

    /// An unknown id or a wrong proof is no error: the full handshake goes on.
    private mutating func resume(_ sigma1: Sigma1) throws -> HandshakeStep? {
        guard let asked = sigma1.resumption, let record = findResumption(asked.id),
            let fabric = fabrics.first(where: { $0.fabricIndex == record.fabricIndex })
        else { return nil }
        let expected = try CASEKeySchedule.resume1MIC(
            secret: record.sharedSecret, initiatorRandom: sigma1.initiatorRandom, resumptionID: asked.id)
        guard constantTimeEqual(expected, asked.mic) else { return nil }
        let newID = try random.bytes(16)
        let answer = Sigma2Resume(
            resumptionID: newID,
            mic: try CASEKeySchedule.resume2MIC(
                secret: record.sharedSecret, initiatorRandom: sigma1.initiatorRandom, resumptionID: newID),
            responderSessionID: localSessionID, parameters: ownParameters)
        let keys = try CASEKeySchedule.resumedSessionKeys(
            secret: record.sharedSecret, initiatorRandom: sigma1.initiatorRandom, resumptionID: asked.id)
        var session = established(keys, fabric: fabric, peer: record.peerNodeID, cats: record.peerCATs)
        session.isResumed = true
        session.resumption = ResumptionRecord(
            resumptionID: newID, sharedSecret: record.sharedSecret, peerNodeID: record.peerNodeID,
            peerCATs: record.peerCATs, fabricIndex: fabric.fabricIndex)
        state = .awaitingResumeStatus(session)
        return HandshakeStep(send: HandshakeMessage(.sigma2Resume, answer.encoded()))
    }

    private func handleSigma3(_ payload: [UInt8], answer: Answer) throws -> HandshakeStep {
        let encrypted = try Sigma3.decode(payload)
        let key = try CASEKeySchedule.sigma3Key(
            secret: answer.secret, ipk: answer.ipk, sigma1: answer.sigma1, sigma2: answer.sigma2)
        guard let plaintext = try? AES128CCM(key: key).open(encrypted, nonce: CASEKeySchedule.sigma3Nonce, aad: [])
        else { throw SecureChannelError(.invalidCredentials, "Sigma3 cannot be decrypted") }
        let proof = try SigmaProof(decoding: plaintext, fromResponder: false)
        let identity = try answer.fabric.identify(
            proof, peerKey: answer.initiatorKey, ownKey: answer.ownKey, time: time, role: .client)
        let keys = try CASEKeySchedule.sessionKeys(
            secret: answer.secret, ipk: answer.ipk, sigma1: answer.sigma1, sigma2: answer.sigma2, sigma3: payload)
        var session = established(
            keys, fabric: answer.fabric, peer: identity.nodeID.rawValue, cats: identity.cats)
        session.handshakeSecrets = HandshakeSecrets(
            initiatorRandom: answer.initiatorRandom, sigma2: answer.sigma2Key, sigma3: key)
        session.resumption = ResumptionRecord(
            resumptionID: answer.resumptionID, sharedSecret: answer.secret, peerNodeID: identity.nodeID.rawValue,
            peerCATs: identity.cats, fabricIndex: answer.fabric.fabricIndex)
        return HandshakeStep(send: HandshakeMessage(.sessionEstablished), established: session)
    }

    private func established(
        _ keys: SessionKeys, fabric: CASECredentials, peer: UInt64, cats: [CASEAuthenticatedTag]
    ) -> EstablishedSession {
        var session = EstablishedSession(
            kind: .case, role: .responder, localSessionID: localSessionID, peerSessionID: peerSessionID, keys: keys,
            peerParameters: peerParameters ?? SessionParameters(), localNodeID: fabric.nodeID.rawValue,
            peerNodeID: peer)
        session.peerCATs = cats
        session.fabricIndex = fabric.fabricIndex
        return session
    }
}
