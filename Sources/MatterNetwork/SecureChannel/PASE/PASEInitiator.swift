package import MatterCrypto

/// The commissioner's side of PASE: the prover of SPAKE2+ (Matter core specification 4.14.1).
///
/// The device's first answer is not authenticated: anyone who saw the request can send one. Until a Pake2 proves one
/// of them, further answers count as other possibilities, if our share serves them as well.
package struct PASEInitiator: Handshake {
    /// The state of the handshake after one of the answers to our request.
    private struct Possibility {
        var prover: SPAKE2PlusProver
        var peerSessionID: UInt16
        var parameters: SessionParameters
    }

    private struct Request {
        var message: [UInt8]
        var random: [UInt8]
    }

    private enum State {
        case fresh
        case awaitingParameters(Request)
        case awaitingPake2(Request, PBKDFParameters, [Possibility])
        case awaitingStatus(keys: SessionKeys)
        case done
    }

    /// Answers that are kept as possibilities.
    private static let possibilities = 4

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
        state = .awaitingParameters(Request(message: request, random: own))
        return HandshakeStep(send: HandshakeMessage(.pbkdfParamRequest, request))
    }

    package mutating func handle(_ message: HandshakeMessage) throws(SecureChannelError) -> HandshakeStep {
        let current = state
        state = .done
        switch (current, message.opcode) {
        case (.awaitingParameters(let request), .pbkdfParamResponse):
            return try handleParameters(message.payload, request)
        case (.awaitingPake2(let request, let pbkdf, let known), .pbkdfParamResponse):
            return try handleAnotherResponse(message.payload, request, pbkdf, known)
        case (.awaitingPake2(_, _, let possibilities), .pake2):
            return try handlePake2(message.payload, possibilities)
        case (.awaitingStatus(let keys), .statusReport):
            return try handleStatus(message.payload, keys: keys)
        case (let current, .statusReport):
            var isFirst = false
            if case .awaitingParameters = current { isFirst = true }
            throw refusal(try StatusReport(decoding: message.payload), isFirst: isFirst)
        default:
            throw SecureChannelError(.malformed, "a message out of turn in PASE: \(message.opcode)")
        }
    }

    private func decode(
        _ payload: [UInt8], for request: Request
    ) throws(SecureChannelError) -> (response: PBKDFParamResponse, pbkdf: PBKDFParameters) {
        let response = try handshake("PBKDFParamResponse") {
            try PBKDFParamResponse(decoding: payload, base: knownReliability)
        }
        guard response.initiatorRandom == request.random else {
            throw SecureChannelError(.malformed, "PBKDFParamResponse answers another request")
        }
        guard response.responderSessionID != 0 else {
            throw SecureChannelError(.malformed, "PBKDFParamResponse offers session id 0")
        }
        guard let pbkdf = response.pbkdf else {
            throw SecureChannelError(.malformed, "PBKDFParamResponse lacks the requested PBKDF parameters")
        }
        try pbkdf.check()
        return (response, pbkdf)
    }

    private func context(_ request: Request, _ payload: [UInt8]) -> [UInt8] {
        SHA256.hash(PASEContext.input(request: request.message, response: payload))
    }

    private mutating func handleParameters(
        _ payload: [UInt8], _ request: Request
    ) throws(SecureChannelError) -> HandshakeStep {
        let (response, pbkdf) = try decode(payload, for: request)
        let parameters = response.parameters ?? SessionParameters(reliability: knownReliability)
        peerParameters = parameters
        return try handshake("Pake1") {
            let secret = try SPAKE2PlusSecret(passcode: passcode, salt: pbkdf.salt, iterations: pbkdf.iterations)
            let prover = try SPAKE2PlusProver(secret: secret, context: context(request, payload), random: random)
            let possibility = Possibility(
                prover: prover, peerSessionID: response.responderSessionID, parameters: parameters)
            state = .awaitingPake2(request, pbkdf, [possibility])
            return HandshakeStep(send: HandshakeMessage(.pake1, PakeMessage.pake1(share: prover.share)))
        }
    }

    /// - Throws: `.contradicted` if the share that we have sent cannot serve this answer.
    private mutating func handleAnotherResponse(
        _ payload: [UInt8], _ request: Request, _ pbkdf: PBKDFParameters, _ known: [Possibility]
    ) throws(SecureChannelError) -> HandshakeStep {
        let (response, other) = try decode(payload, for: request)
        guard other == pbkdf, known.count < Self.possibilities, let first = known.first else {
            throw SecureChannelError(.contradicted, "two answers to PBKDFParamRequest contradict each other")
        }
        let possibility = Possibility(
            prover: first.prover.rebound(to: context(request, payload)), peerSessionID: response.responderSessionID,
            parameters: response.parameters ?? SessionParameters(reliability: knownReliability))
        state = .awaitingPake2(request, pbkdf, known + [possibility])
        return HandshakeStep()
    }

    private mutating func handlePake2(
        _ payload: [UInt8], _ possibilities: [Possibility]
    ) throws(SecureChannelError) -> HandshakeStep {
        let (share, confirmation) = try handshake("Pake2") { try PakeMessage.decodePake2(payload) }
        for possibility in possibilities {
            var prover = possibility.prover
            do {
                let (proof, secret) = try prover.finish(pB: share, cB: confirmation)
                state = .awaitingStatus(keys: try PASEKeys.derive(from: secret))
                peerSessionID = possibility.peerSessionID
                peerParameters = possibility.parameters
                return HandshakeStep(send: HandshakeMessage(.pake3, PakeMessage.pake3(confirmation: proof)))
            } catch let error where error.code == .confirmationFailed {
                continue
            } catch {
                throw SecureChannelError(.malformed, "Pake2: \(error)")
            }
        }
        throw SecureChannelError(.wrongPasscode, "the device's proof does not match this passcode")
    }

    /// The meaning of a status report that does not end a successful handshake.
    private func refusal(_ report: StatusReport, isFirst: Bool) -> SecureChannelError {
        if report.isSuccess {
            return SecureChannelError(.malformed, "a success report out of turn in PASE", reply: nil)
        }
        let error = SecureChannelError(reported: report)
        guard error.code != .busy else { return error }
        guard report.generalCode == StatusReport.GeneralCode.failure.rawValue,
            report.secureChannelCode == .invalidParameter
        else { return SecureChannelError(.ended, "the device ended the handshake: \(report)", reply: nil) }
        // A device that turns down the very first message has no passcode to offer.
        return isFirst
            ? SecureChannelError(.windowClosed, "the device is not open for commissioning: \(report)", reply: nil)
            : error
    }

    private func handleStatus(_ payload: [UInt8], keys: SessionKeys) throws(SecureChannelError) -> HandshakeStep {
        let report = try StatusReport(decoding: payload)
        guard report.isSuccess else { throw refusal(report, isFirst: false) }
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
