import MatterCrypto

/// The controller's side of CASE, with resumption if a record of an earlier session is at hand
/// (Matter core specification 4.14.2).
struct CASEInitiator: Handshake {
    private enum State {
        case fresh
        case awaitingSigma2(CASEOffer)
        case awaitingStatus(EstablishedSession)
        case done
    }

    private let credentials: CASECredentials
    private let peer: NodeID
    private let localSessionID: UInt16
    private let ownParameters: SessionParameters
    private let knownReliability: ReliabilityParameters
    private let resumption: ResumptionRecord?
    private let time: ValidationTime
    private let random: any RandomSource
    private var state = State.fresh
    private(set) var peerParameters: SessionParameters?

    /// - Parameters:
    ///   - peer: the node to talk to; another one is refused.
    ///   - knownReliability: what DNS-SD said of the peer; the handshake overrides it.
    ///   - resumption: a record of an earlier session with this peer on this fabric.
    ///   - time: for the validity of the peer's certificates.
    init(
        credentials: CASECredentials, peer: NodeID, localSessionID: UInt16, parameters: SessionParameters = .own,
        knownReliability: ReliabilityParameters = .standard, resumption: ResumptionRecord? = nil,
        time: ValidationTime, random: any RandomSource
    ) {
        self.credentials = credentials
        self.peer = peer
        self.localSessionID = localSessionID
        ownParameters = parameters
        self.knownReliability = knownReliability
        // The keys of a session with another node would be that node's.
        self.resumption = resumption?.peerNodeID == peer.rawValue ? resumption : nil
        self.time = time
        self.random = random
    }

    mutating func start() throws(SecureChannelError) -> HandshakeStep {
        guard let ipk = credentials.identityProtectionKeys.first else {
            throw SecureChannelError(.cryptography, "the fabric has no identity protection key")
        }
        return try handshake("Sigma1") {
            let initiatorRandom = try random.bytes(32)
            let ephemeral = try P256PrivateKey.generate(random)
            let resume: Sigma1.Resumption? =
                if let resumption {
                    Sigma1.Resumption(
                        id: resumption.resumptionID,
                        mic: try CASEKeySchedule.resume1MIC(
                            secret: resumption.sharedSecret, initiatorRandom: initiatorRandom,
                            resumptionID: resumption.resumptionID))
                } else {
                    nil
                }
            let sigma1 = Sigma1(
                initiatorRandom: initiatorRandom, initiatorSessionID: localSessionID,
                destinationID: try credentials.destinationID(
                    ipk: ipk, initiatorRandom: initiatorRandom, node: peer),
                ephemeralKey: ephemeral.publicKey.x963, parameters: ownParameters, resumption: resume
            ).encoded()
            let offer = CASEOffer(
                initiatorRandom: initiatorRandom, sigma1: sigma1, ephemeral: ephemeral, ipk: ipk)
            state = .awaitingSigma2(offer)
            return HandshakeStep(send: HandshakeMessage(.sigma1, sigma1), offer: offer.told)
        }
    }

    mutating func handle(_ message: HandshakeMessage) throws(SecureChannelError) -> HandshakeStep {
        let current = state
        state = .done
        switch (current, message.opcode) {
        case (.awaitingSigma2(let offer), .sigma2):
            return try handshake("Sigma2") { try handleSigma2(message.payload, offer: offer) }
        case (.awaitingSigma2(let offer), .sigma2Resume):
            return try handshake("Sigma2Resume") { try handleResume(message.payload, offer: offer) }
        case (.awaitingStatus(let session), .statusReport):
            let report = try StatusReport(decoding: message.payload)
            guard report.isSuccess else {
                var error = SecureChannelError(reported: report)
                if error.code == .rejected { error.ownNotBefore = credentials.operational.chain.latestNotBefore }
                throw error
            }
            return HandshakeStep(established: session)
        case (_, .statusReport):
            let report = try StatusReport(decoding: message.payload)
            if report.isSuccess {
                throw SecureChannelError(.malformed, "a success report out of turn in CASE", reply: nil)
            }
            throw SecureChannelError(reported: report)
        default:
            throw SecureChannelError(.malformed, "a message out of turn in CASE: \(message.opcode)")
        }
    }

    private mutating func handleSigma2(_ payload: [UInt8], offer: CASEOffer) throws -> HandshakeStep {
        let sigma2 = try Sigma2(decoding: payload, base: knownReliability)
        guard sigma2.responderSessionID != 0 else {
            throw SecureChannelError(.malformed, "Sigma2 offers session id 0")
        }
        let parameters = sigma2.parameters ?? SessionParameters(reliability: knownReliability)
        peerParameters = parameters
        let ipk = offer.ipk
        let secret = try offer.ephemeral.sharedSecret(with: P256PublicKey(x963: sigma2.ephemeralKey))
        let key = try CASEKeySchedule.sigma2Key(
            secret: secret, ipk: ipk, responderRandom: sigma2.responderRandom, responderKey: sigma2.ephemeralKey,
            sigma1: offer.sigma1)
        guard
            let plaintext = try? AES128CCM(key: key).open(
                sigma2.encrypted, nonce: CASEKeySchedule.sigma2Nonce, aad: [])
        else {
            throw SecureChannelError(
                .invalidCredentials, "Sigma2 cannot be decrypted: the device has another identity protection key")
        }
        let proof = try SigmaProof(decoding: plaintext, fromResponder: true)
        let ownKey = offer.ephemeral.publicKey.x963
        let identity = try credentials.identify(
            proof, peerKey: sigma2.ephemeralKey, ownKey: ownKey, time: time, role: .server)
        guard identity.nodeID == peer else {
            throw SecureChannelError(.wrongPeer, "the device at this address is node \(identity.nodeID), not \(peer)")
        }
        let sigma3Key = try CASEKeySchedule.sigma3Key(
            secret: secret, ipk: ipk, sigma1: offer.sigma1, sigma2: payload)
        let sigma3 = Sigma3.encoded(
            try credentials.proof(
                key: sigma3Key, nonce: CASEKeySchedule.sigma3Nonce, ownKey: ownKey, peerKey: sigma2.ephemeralKey,
                resumptionID: nil))
        let keys = try CASEKeySchedule.sessionKeys(
            secret: secret, ipk: ipk, sigma1: offer.sigma1, sigma2: payload, sigma3: sigma3)
        var session = established(keys, peerSessionID: sigma2.responderSessionID, parameters: parameters)
        session.peerCATs = identity.cats
        session.handshakeSecrets = HandshakeSecrets(
            initiatorRandom: offer.initiatorRandom, sigma2: key, sigma3: sigma3Key)
        if let id = proof.resumptionID {
            session.resumption = ResumptionRecord(
                resumptionID: id, sharedSecret: secret, peerNodeID: peer.rawValue, peerCATs: identity.cats)
        }
        state = .awaitingStatus(session)
        return HandshakeStep(send: HandshakeMessage(.sigma3, sigma3))
    }

    private mutating func handleResume(_ payload: [UInt8], offer: CASEOffer) throws -> HandshakeStep {
        guard let resumption else {
            throw SecureChannelError(.malformed, "the device resumes a session that was not offered")
        }
        let answer = try Sigma2Resume(decoding: payload, base: knownReliability)
        let expected = try CASEKeySchedule.resume2MIC(
            secret: resumption.sharedSecret, initiatorRandom: offer.initiatorRandom, resumptionID: answer.resumptionID)
        guard answer.responderSessionID != 0, constantTimeEqual(expected, answer.mic) else {
            throw SecureChannelError(.invalidCredentials, "the device cannot prove the session that it resumes")
        }
        let parameters = answer.parameters ?? SessionParameters(reliability: knownReliability)
        peerParameters = parameters
        let keys = try CASEKeySchedule.resumedSessionKeys(
            secret: resumption.sharedSecret, initiatorRandom: offer.initiatorRandom,
            resumptionID: resumption.resumptionID)
        var session = established(keys, peerSessionID: answer.responderSessionID, parameters: parameters)
        session.peerCATs = resumption.peerCATs
        session.isResumed = true
        session.resumption = ResumptionRecord(
            resumptionID: answer.resumptionID, sharedSecret: resumption.sharedSecret, peerNodeID: peer.rawValue,
            peerCATs: resumption.peerCATs)
        return HandshakeStep(send: HandshakeMessage(.sessionEstablished), established: session)
    }

    private func established(
        _ keys: SessionKeys, peerSessionID: UInt16, parameters: SessionParameters
    ) -> EstablishedSession {
        EstablishedSession(
            kind: .case, role: .initiator, localSessionID: localSessionID, peerSessionID: peerSessionID, keys: keys,
            peerParameters: parameters, localNodeID: credentials.nodeID.rawValue, peerNodeID: peer.rawValue)
    }
}
