/// The side of SPAKE2+ that knows the passcode: the commissioner. One value serves one run.
package struct SPAKE2PlusProver: Sendable {
    /// The prover's share pA, an uncompressed point, for Pake1.
    package let share: [UInt8]

    private let secret: SPAKE2PlusSecret
    private let scalar: SecretBytes
    private let context: [UInt8]
    private let identities: SPAKE2PlusIdentities
    private var isFinished = false

    /// Draws the scalar x and computes the share.
    /// - Parameters:
    ///   - context: what the run is bound to; for PASE the digest of the messages before.
    ///   - random: gives x as 32 bytes, big-endian; bytes out of range are drawn again.
    /// - Throws: `crypto.random-failed`.
    package init(
        secret: SPAKE2PlusSecret, context: [UInt8], identities: SPAKE2PlusIdentities = SPAKE2PlusIdentities(),
        random: any RandomSource = SystemRandom()
    ) throws(CryptoError) {
        self.secret = secret
        self.context = context
        self.identities = identities
        scalar = try P256Scalar.random(random)
        share = try SPAKE2Plus.share(P256Scalar(scalar), w0: P256Scalar(secret.w0), blind: SPAKE2Plus.M)
    }

    /// A copy of the run, bound to another transcript: for a peer with several answers, one of them genuine.
    package func rebound(to context: [UInt8]) -> SPAKE2PlusProver {
        SPAKE2PlusProver(
            share: share, secret: secret, scalar: scalar, context: context, identities: identities)
    }

    private init(
        share: [UInt8], secret: SPAKE2PlusSecret, scalar: SecretBytes, context: [UInt8],
        identities: SPAKE2PlusIdentities
    ) {
        self.share = share
        self.secret = secret
        self.scalar = scalar
        self.context = context
        self.identities = identities
    }

    /// Checks the verifier's share and confirmation.
    /// - Parameters:
    ///   - pB: the verifier's share.
    ///   - cB: the verifier's confirmation, 32 bytes.
    /// - Returns: the prover's own confirmation, for Pake3, and the shared key, 16 bytes.
    /// - Throws: `crypto.confirmation-failed` when the verifier holds another passcode, `crypto.invalid-point`,
    ///   `crypto.invalid-state` when called twice.
    package mutating func finish(
        pB: [UInt8], cB: [UInt8]
    ) throws(CryptoError) -> (cA: [UInt8], Ke: SecretBytes) {
        let keys = try keys(pB: pB)
        guard constantTimeEqual(keys.verifierConfirmation, cB) else {
            throw CryptoError(.confirmationFailed, "the device does not confirm the passcode")
        }
        return (keys.proverConfirmation, keys.ke)
    }

    mutating func keys(pB: [UInt8]) throws(CryptoError) -> SPAKE2PlusKeySchedule {
        guard !isFinished else { throw CryptoError(.invalidState, "this run of SPAKE2+ is over") }
        isFinished = true
        let peer = try SPAKE2Plus.unblind(pB, w0: P256Scalar(secret.w0), blind: SPAKE2Plus.N)
        return try SPAKE2PlusKeySchedule(
            context: context, identities: identities, proverShare: share, verifierShare: pB,
            z: peer.multiplied(by: P256Scalar(scalar)).x963(),
            v: peer.multiplied(by: P256Scalar(secret.w1)).x963(), w0: secret.w0)
    }
}
