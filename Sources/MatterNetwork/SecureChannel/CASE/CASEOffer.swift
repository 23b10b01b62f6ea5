import MatterCrypto

/// The secrets of a CASE initiator while it waits for the answer to its Sigma1 (Matter core specification, 4.14.2.3).
struct CASEOffer: Sendable {
    var initiatorRandom: [UInt8]
    var sigma1: [UInt8]
    var ephemeral: P256PrivateKey
    /// The identity protection key that Sigma1 was made with.
    var ipk: SecretBytes

    /// For readers of the messages.
    var told: HandshakeOffer {
        HandshakeOffer(initiatorRandom: initiatorRandom) { secrets(answeredBy: $0) }
    }

    /// The keys that an answer leads to; `nil` for a message that is not a Sigma2, or has a key that is not on the curve.
    private func secrets(answeredBy payload: [UInt8]) -> HandshakeSecrets? {
        guard let sigma2 = try? Sigma2(decoding: payload, base: .standard),
            let key = try? P256PublicKey(x963: sigma2.ephemeralKey),
            let secret = try? ephemeral.sharedSecret(with: key),
            let second = try? CASEKeySchedule.sigma2Key(
                secret: secret, ipk: ipk, responderRandom: sigma2.responderRandom, responderKey: sigma2.ephemeralKey,
                sigma1: sigma1),
            let third = try? CASEKeySchedule.sigma3Key(secret: secret, ipk: ipk, sigma1: sigma1, sigma2: payload)
        else { return nil }
        return HandshakeSecrets(initiatorRandom: initiatorRandom, sigma2: second, sigma3: third)
    }
}
