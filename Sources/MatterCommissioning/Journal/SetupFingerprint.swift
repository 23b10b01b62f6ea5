package import MatterCrypto

/// Recognises a setup code without keeping it: a salted, slow digest of the passcode.
package struct SetupFingerprint: Equatable, Sendable {
    package let salt: [UInt8]
    package let digest: [UInt8]

    /// Slow enough to be a nuisance to whoever reads the journal, fast enough not to be noticed.
    private static let iterations = 10_000

    init(salt: [UInt8], digest: [UInt8]) {
        self.salt = salt
        self.digest = digest
    }

    package init(passcode: UInt32, random: any RandomSource) throws(CryptoError) {
        let salt = try random.bytes(16)
        self.init(salt: salt, digest: try Self.digest(passcode, salt: salt))
    }

    package func matches(passcode: UInt32) -> Bool {
        guard let candidate = try? Self.digest(passcode, salt: salt) else { return false }
        return constantTimeEqual(candidate, digest)
    }

    private static func digest(_ passcode: UInt32, salt: [UInt8]) throws(CryptoError) -> [UInt8] {
        let octets = (0..<4).map { UInt8(truncatingIfNeeded: passcode >> (8 * $0)) }
        return try PBKDF2.sha256(
            password: SecretBytes(octets), salt: salt, iterations: iterations, count: 32
        ).copyBytes()
    }
}
