import MatterCrypto
package import MatterState

extension SetupFingerprint {
    /// As release 0.1.0 made it.
    package static func salted(_ passcode: UInt32) throws -> SetupFingerprint {
        let salt = try SystemRandom().bytes(16)
        let octets = (0..<4).map { UInt8(truncatingIfNeeded: passcode >> (8 * $0)) }
        let digest = try PBKDF2.sha256(password: SecretBytes(octets), salt: salt, iterations: 10_000, count: 32)
        return .salted(salt: salt, digest: digest.copyBytes())
    }
}
