package import MatterCrypto
package import MatterTransport

/// The commissioner's side of PASE: the prover of SPAKE2+ (Matter core specification 4.14.1).
package struct PASEInitiator: Handshake {
    private enum State {
        case fresh
        case awaitingParameters(request: [UInt8], random: [UInt8])
        case awaitingPake2(SPAKE2PlusProver)
        case awaitingStatus(keys: SessionKeys)
        case done
    }

    private let passcode: UInt32
    private let localSessionID: UInt16
    private let ownParameters: SessionParameters
    private let knownReliability: ReliabilityParameters
    private let random: any RandomSource
    private var state = State.fresh
    private var peerSessionID: UInt16 = 0
    package private(set) var peerParameters: SessionParameters?

    /// - Parameters:
    ///   - passcode: the setup passcode, 27 bits.
    ///   - localSessionID: the id that the peer is to put into its messages.
    ///   - knownReliability: what DNS-SD said of the peer; the handshake overrides it.
    package init(
        passcode: UInt32, localSessionID: UInt16, parameters: SessionParameters = .own,
        knownReliability: ReliabilityParameters = .standard, random: any RandomSource
    ) {
        self.passcode = passcode
        self.localSessionID = localSessionID
        ownParameters = parameters
        self.knownReliability = knownReliability
        self.random = random
    }

    package mutating func start() throws(SecureChannelError) -> HandshakeStep {
        let own = try handshake("PBKDFParamRequest") { try random.bytes(32) }
        let request = PBKDFParamRequest(
            initiatorRandom: own, initiatorSessionID: localSessionID, hasPBKDFParameters: false,
            parameters: ownParameters
        ).encoded()
        state = .awaitingParameters(request: request, random: own)
        return HandshakeStep(send: HandshakeMessage(.pbkdfParamRequest, request))
    }

    package mutating func handle(_ message: HandshakeMessage) throws(SecureChannelError) -> HandshakeStep {
        let current = state
        state = .done
        switch (current, message.opcode) {
        case (.awaitingParameters(let request, let own), .pbkdfParamResponse):
            return try handleParameters(message.payload, request: request, random: own)
        case (.awaitingPake2(let prover), .pake2):
            return try handlePake2(message.payload, prover: prover)
        case (.awaitingStatus(let keys), .statusReport):
            return try handleStatus(message.payload, keys: keys)
        case (.awaitingParameters, .statusReport):
            throw windowError(try StatusReport(decoding: message.payload))
        case (_, .statusReport):
            throw SecureChannelError(reported: try StatusReport(decoding: message.payload))
        default:
            throw SecureChannelError(.malformed, "a message out of turn in PASE: \(message.opcode)")
        }
    }

    private mutating func handleParameters(
        _ payload: [UInt8], request: [UInt8], random own: [UInt8]
    ) throws(SecureChannelError) -> HandshakeStep {
        let response = try handshake("PBKDFParamResponse") {
            try PBKDFParamResponse(decoding: payload, base: knownReliability)
        }
        guard response.initiatorRandom == own else {
            throw SecureChannelError(.malformed, "PBKDFParamResponse answers another request")
        }
        guard response.responderSessionID != 0 else {
            throw SecureChannelError(.malformed, "PBKDFParamResponse offers session id 0")
        }
        guard let pbkdf = response.pbkdf else {
            throw SecureChannelError(.malformed, "PBKDFParamResponse lacks the PBKDF parameters that were asked for")
        }
        try pbkdf.check()
        peerSessionID = response.responderSessionID
        peerParameters = response.parameters ?? SessionParameters(reliability: knownReliability)
        return try handshake("Pake1") {
            let secret = try SPAKE2PlusSecret(passcode: passcode, salt: pbkdf.salt, iterations: pbkdf.iterations)
            let prover = try SPAKE2PlusProver(
                secret: secret, context: SHA256.hash(PASEContext.input(request: request, response: payload)),
                random: random)
            state = .awaitingPake2(prover)
            return HandshakeStep(send: HandshakeMessage(.pake1, PakeMessage.pake1(share: prover.share)))
        }
    }

    private mutating func handlePake2(
        _ payload: [UInt8], prover waiting: SPAKE2PlusProver
    ) throws(SecureChannelError) -> HandshakeStep {
        let (share, confirmation) = try handshake("Pake2") { try PakeMessage.decodePake2(payload) }
        var prover = waiting
        do {
            let (proof, secret) = try prover.finish(pB: share, cB: confirmation)
            state = .awaitingStatus(keys: try PASEKeys.derive(from: secret))
            return HandshakeStep(send: HandshakeMessage(.pake3, PakeMessage.pake3(confirmation: proof)))
        } catch let error where error.code == .confirmationFailed {
            throw SecureChannelError(.wrongPasscode, "the device's proof does not fit this passcode")
        } catch {
            throw SecureChannelError(.malformed, "Pake2: \(error)")
        }
    }

    /// A device that turns down the very first message has no passcode to offer.
    private func windowError(_ report: StatusReport) -> SecureChannelError {
        let error = SecureChannelError(reported: report)
        guard error.code == .rejected else { return error }
        return SecureChannelError(
            .windowClosed, "the device takes no new administrators now: \(report)", reply: nil)
    }

    private func handleStatus(_ payload: [UInt8], keys: SessionKeys) throws(SecureChannelError) -> HandshakeStep {
        let report = try StatusReport(decoding: payload)
        guard report.isSuccess else { throw SecureChannelError(reported: report) }
        return HandshakeStep(
            established: EstablishedSession(
                kind: .pase, role: .initiator, localSessionID: localSessionID, peerSessionID: peerSessionID,
                keys: keys, peerParameters: peerParameters ?? SessionParameters()))
    }
}

enum PASEKeys {
    /// Session keys from the shared secret Ke (Matter core specification 4.14.1.4).
    static func derive(from secret: SecretBytes) throws(CryptoError) -> SessionKeys {
        try SessionKeys(
            derived: try HKDF.sha256(
                secret: secret, salt: [], info: Array("SessionKeys".utf8), count: SessionKeys.derivedLength))
    }
}
