import MatterCrypto

/// The keys of CASE (Matter core specification 4.14.2.6). Every input is the exact payload that was sent.
enum CASEKeySchedule {
    static let sigma2Nonce = Array("NCASE_Sigma2N".utf8)
    static let sigma3Nonce = Array("NCASE_Sigma3N".utf8)
    static let resume1Nonce = Array("NCASE_SigmaS1".utf8)
    static let resume2Nonce = Array("NCASE_SigmaS2".utf8)

    static func sigma2Key(
        secret: SecretBytes, ipk: SecretBytes, responderRandom: [UInt8], responderKey: [UInt8], sigma1: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        let salt = ipk.appending(responderRandom + responderKey + SHA256.hash(sigma1))
        return try HKDF.sha256(secret: secret, salt: salt, info: Array("Sigma2".utf8), count: 16)
    }

    static func sigma3Key(
        secret: SecretBytes, ipk: SecretBytes, sigma1: [UInt8], sigma2: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        let salt = ipk.appending(SHA256.hash(sigma1 + sigma2))
        return try HKDF.sha256(secret: secret, salt: salt, info: Array("Sigma3".utf8), count: 16)
    }

    static func sessionKeys(
        secret: SecretBytes, ipk: SecretBytes, sigma1: [UInt8], sigma2: [UInt8], sigma3: [UInt8]
    ) throws(CryptoError) -> SessionKeys {
        let salt = ipk.appending(SHA256.hash(sigma1 + sigma2 + sigma3))
        return try SessionKeys(
            derived: try HKDF.sha256(
                secret: secret, salt: salt, info: Array("SessionKeys".utf8), count: SessionKeys.derivedLength))
    }

    /// The proof of knowing an earlier shared secret, an integrity check over nothing.
    static func resumeMIC(
        secret: SecretBytes, initiatorRandom: [UInt8], resumptionID: [UInt8], info: String, nonce: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let key = try HKDF.sha256(
            secret: secret, salt: initiatorRandom + resumptionID, info: Array(info.utf8), count: 16)
        return try AES128CCM(key: key).seal([], nonce: nonce, aad: [])
    }

    static func resume1MIC(
        secret: SecretBytes, initiatorRandom: [UInt8], resumptionID: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try resumeMIC(
            secret: secret, initiatorRandom: initiatorRandom, resumptionID: resumptionID, info: "Sigma1_Resume",
            nonce: resume1Nonce)
    }

    static func resume2MIC(
        secret: SecretBytes, initiatorRandom: [UInt8], resumptionID: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try resumeMIC(
            secret: secret, initiatorRandom: initiatorRandom, resumptionID: resumptionID, info: "Sigma2_Resume",
            nonce: resume2Nonce)
    }

    /// - Parameter resumptionID: the one in Sigma1, not the new one.
    static func resumedSessionKeys(
        secret: SecretBytes, initiatorRandom: [UInt8], resumptionID: [UInt8]
    ) throws(CryptoError) -> SessionKeys {
        try SessionKeys(
            derived: try HKDF.sha256(
                secret: secret, salt: initiatorRandom + resumptionID, info: Array("SessionResumptionKeys".utf8),
                count: SessionKeys.derivedLength))
    }
}
