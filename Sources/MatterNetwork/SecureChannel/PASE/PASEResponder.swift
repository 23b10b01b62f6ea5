package import MatterCrypto

/// The device's side of PASE: the verifier of SPAKE2+ (Matter core specification 4.14.1).
package struct PASEResponder: Handshake {
    private enum State {
        case fresh
        case awaitingPake1(context: [UInt8])
        case awaitingPake3(SPAKE2PlusVerifier)
        case done
    }

    private let verifierData: SPAKE2PlusVerifierData
    private let pbkdf: PBKDFParameters
    private let localSessionID: UInt16
    private let ownParameters: SessionParameters?
    private let random: any RandomSource
    private var state = State.fresh
    private var peerSessionID: UInt16 = 0
    package private(set) var peerParameters: SessionParameters?

    /// - Parameters:
    ///   - localSessionID: the id that the peer is to put into its messages.
    ///   - parameters: what is said of ourselves; `nil` says nothing, as older devices do.
    package init(
        verifier: SPAKE2PlusVerifierData, pbkdf: PBKDFParameters, localSessionID: UInt16,
        parameters: SessionParameters? = .own, random: any RandomSource
    ) {
        verifierData = verifier
        self.pbkdf = pbkdf
        self.localSessionID = localSessionID
        ownParameters = parameters
        self.random = random
    }

    package mutating func start() throws(SecureChannelError) -> HandshakeStep { HandshakeStep() }

    package mutating func handle(_ message: HandshakeMessage) throws(SecureChannelError) -> HandshakeStep {
        let current = state
        state = .done
        switch (current, message.opcode) {
        case (.fresh, .pbkdfParamRequest):
            return try handleRequest(message.payload)
        case (.awaitingPake1(let context), .pake1):
            return try handlePake1(message.payload, context: context)
        case (.awaitingPake3(let verifier), .pake3):
            return try handlePake3(message.payload, verifier: verifier)
        case (_, .statusReport):
            throw SecureChannelError(reported: try StatusReport(decoding: message.payload))
        default:
            throw SecureChannelError(.malformed, "a message out of turn in PASE: \(message.opcode)")
        }
    }

    private mutating func handleRequest(_ payload: [UInt8]) throws(SecureChannelError) -> HandshakeStep {
        let request = try handshake("PBKDFParamRequest") { try PBKDFParamRequest(decoding: payload) }
        guard request.passcodeID == 0, request.initiatorSessionID != 0 else {
            throw SecureChannelError(.malformed, "PBKDFParamRequest for another passcode, or with session id 0")
        }
        peerSessionID = request.initiatorSessionID
        peerParameters = request.parameters ?? SessionParameters()
        return try handshake("PBKDFParamResponse") {
            let response = PBKDFParamResponse(
                initiatorRandom: request.initiatorRandom, responderRandom: try random.bytes(32),
                responderSessionID: localSessionID, pbkdf: request.hasPBKDFParameters ? nil : pbkdf,
                parameters: ownParameters
            ).encoded()
            state = .awaitingPake1(context: SHA256.hash(PASEContext.input(request: payload, response: response)))
            return HandshakeStep(send: HandshakeMessage(.pbkdfParamResponse, response))
        }
    }

    private mutating func handlePake1(
        _ payload: [UInt8], context: [UInt8]
    ) throws(SecureChannelError) -> HandshakeStep {
        try handshake("Pake1") {
            var verifier = SPAKE2PlusVerifier(data: verifierData, context: context, random: random)
            let (share, confirmation) = try verifier.respond(pA: try PakeMessage.decodePake1(payload))
            state = .awaitingPake3(verifier)
            return HandshakeStep(
                send: HandshakeMessage(.pake2, PakeMessage.pake2(share: share, confirmation: confirmation)))
        }
    }

    private func handlePake3(
        _ payload: [UInt8], verifier waiting: SPAKE2PlusVerifier
    ) throws(SecureChannelError) -> HandshakeStep {
        let confirmation = try handshake("Pake3") { try PakeMessage.decodePake3(payload) }
        var verifier = waiting
        let keys: SessionKeys
        do {
            keys = try PASEKeys.derive(from: try verifier.finish(cA: confirmation))
        } catch {
            throw SecureChannelError(.wrongPasscode, "the commissioner's proof does not match the passcode")
        }
        return HandshakeStep(
            send: HandshakeMessage(.sessionEstablished),
            established: EstablishedSession(
                kind: .pase, role: .responder, localSessionID: localSessionID, peerSessionID: peerSessionID,
                keys: keys, peerParameters: peerParameters ?? SessionParameters()))
    }
}
