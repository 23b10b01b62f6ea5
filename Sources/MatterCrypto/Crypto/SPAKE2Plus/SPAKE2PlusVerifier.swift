/// The side of SPAKE2+ that holds a verifier instead of the passcode: the device. One value serves one run.
package struct SPAKE2PlusVerifier: Sendable {
    private enum State {
        case initial
        case responded(cA: [UInt8], Ke: SecretBytes)
        case finished
    }

    private let data: SPAKE2PlusVerifierData
    private let context: [UInt8]
    private let identities: SPAKE2PlusIdentities
    private let random: any RandomSource
    private var state = State.initial

    /// - Parameters:
    ///   - context: what the run is bound to; for PASE the digest of the messages before.
    ///   - random: gives y as 32 bytes, big-endian; bytes out of range are drawn again.
    package init(
        data: SPAKE2PlusVerifierData, context: [UInt8], identities: SPAKE2PlusIdentities = SPAKE2PlusIdentities(),
        random: any RandomSource = SystemRandom()
    ) {
        self.data = data
        self.context = context
        self.identities = identities
        self.random = random
    }

    /// Answers the prover's share.
    /// - Parameter pA: the prover's share.
    /// - Returns: the verifier's share and confirmation, for Pake2.
    /// - Throws: `crypto.invalid-point`, `crypto.random-failed`, `crypto.invalid-state` when called twice.
    package mutating func respond(pA: [UInt8]) throws(CryptoError) -> (pB: [UInt8], cB: [UInt8]) {
        let (share, keys) = try keys(pA: pA)
        state = .responded(cA: keys.proverConfirmation, Ke: keys.ke)
        return (share, keys.verifierConfirmation)
    }

    /// Checks the prover's confirmation.
    /// - Parameter cA: 32 bytes.
    /// - Returns: the shared key, 16 bytes.
    /// - Throws: `crypto.confirmation-failed` when the prover used another passcode, `crypto.invalid-state` when called
    ///   before ``respond(pA:)`` or twice.
    package mutating func finish(cA: [UInt8]) throws(CryptoError) -> SecretBytes {
        guard case .responded(let expected, let key) = state else {
            throw CryptoError(.invalidState, "no confirmation is expected in this run of SPAKE2+")
        }
        state = .finished
        guard constantTimeEqual(expected, cA) else {
            throw CryptoError(.confirmationFailed, "the commissioner does not confirm the passcode")
        }
        return key
    }

    mutating func keys(pA: [UInt8]) throws(CryptoError) -> (share: [UInt8], keys: SPAKE2PlusKeySchedule) {
        guard case .initial = state else { throw CryptoError(.invalidState, "this run of SPAKE2+ has begun already") }
        state = .finished
        let peer = try SPAKE2Plus.unblind(pA, w0: P256Scalar(data.w0), blind: SPAKE2Plus.M)
        let scalar = try P256Scalar(P256Scalar.random(random))
        let share = try SPAKE2Plus.share(scalar, w0: P256Scalar(data.w0), blind: SPAKE2Plus.N)
        let keys = try SPAKE2PlusKeySchedule(
            context: context, identities: identities, proverShare: pA, verifierShare: share,
            z: peer.multiplied(by: scalar).x963(),
            v: P256Point.reading(x963: data.L.x963).multiplied(by: scalar).x963(), w0: data.w0)
        return (share, keys)
    }
}
