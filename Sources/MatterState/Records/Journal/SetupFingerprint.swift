package import MatterCrypto

/// Recognises a setup code without keeping it: a digest of the passcode.
package enum SetupFingerprint: Equatable, Sendable {
    /// Made with a secret of the fabric, without which it tells nothing, however fast it can be computed.
    case keyed([UInt8])
    /// As release 0.1.0 made it: slow to compute, and yet a passcode has 27 bits only.
    case salted(salt: [UInt8], digest: [UInt8])

    private static let iterations = 10_000
    /// Octets of the secret.
    static let secretCount = 32

    package init(passcode: SetupPasscode, secret: SecretBytes) throws(CryptoError) {
        self = .keyed(try HMACSHA256.authenticate(key: secret, message: Self.octets(passcode)))
    }

    private static func octets(_ passcode: SetupPasscode) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: passcode.value >> (8 * $0)) }
    }

    /// - Parameter secret: the fabric's; `nil` if it has none.
    package func matches(_ passcode: SetupPasscode, secret: SecretBytes?) -> Bool {
        switch self {
        case .keyed(let digest):
            guard let secret,
                let candidate = try? HMACSHA256.authenticate(key: secret, message: Self.octets(passcode))
            else { return false }
            return constantTimeEqual(candidate, digest)
        case .salted(let salt, let digest):
            let password = SecretBytes(Self.octets(passcode))
            guard
                let candidate = try? PBKDF2.sha256(
                    password: password, salt: salt, iterations: Self.iterations, count: 32)
            else { return false }
            return constantTimeEqual(candidate.copyBytes(), digest)
        }
    }

    /// True if it takes milliseconds to compare it with a passcode.
    var isSlow: Bool {
        switch self {
        case .keyed: false
        case .salted: true
        }
    }
}
