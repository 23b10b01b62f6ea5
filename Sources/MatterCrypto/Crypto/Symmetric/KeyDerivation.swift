import COpenSSL

/// HMAC-SHA256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    /// The message authentication code, 32 bytes. Compare it with ``constantTimeEqual(_:_:)``.
    /// - Throws: `crypto.internal`.
    package static func authenticate(key: SecretBytes, message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try key.withUnsafeBytes { (key) throws(CryptoError) in
            try code(key.baseAddress, key.count, message)
        }
    }

    /// The message authentication code under a key that is held in the clear.
    /// - Throws: `crypto.internal`.
    package static func authenticate(key: [UInt8], message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try code(key, key.count, message)
    }

    private static func code(
        _ key: UnsafeRawPointer?, _ keyCount: Int, _ message: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.digestCount)
        copenssl_hmac_sha256(key, keyCount, message, message.count, &code)
        return code
    }
}

/// HKDF (RFC 5869), both steps at once.
package enum HKDF {
    /// `count` bytes derived with SHA-256; an empty salt means 32 zero bytes.
    /// - Throws: `crypto.invalid-length` for an empty secret or a count outside 1 ... 8160.
    package static func sha256(
        secret: SecretBytes, salt: [UInt8], info: [UInt8], count: Int
    ) throws(CryptoError) -> SecretBytes {
        try derive(secret, salt, salt.count, info, count)
    }

    /// Derives a key with a salt that is itself secret.
    package static func sha256(
        secret: SecretBytes, salt: SecretBytes, info: [UInt8], count: Int
    ) throws(CryptoError) -> SecretBytes {
        try salt.withUnsafeBytes { (salt) throws(CryptoError) in
            try derive(secret, salt.baseAddress, salt.count, info, count)
        }
    }

    private static func derive(
        _ secret: SecretBytes, _ salt: UnsafeRawPointer?, _ saltCount: Int, _ info: [UInt8], _ count: Int
    ) throws(CryptoError) -> SecretBytes {
        guard !secret.isEmpty else { throw CryptoError(.invalidLength, "HKDF needs a secret") }
        guard 1...255 * SHA256.digestCount ~= count else {
            throw CryptoError(.invalidLength, "HKDF-SHA256 gives 1 to 8160 bytes, not \(count)")
        }
        return try SecretBytes(count: count) { (output) throws(CryptoError) in
            secret.withUnsafeBytes {
                copenssl_hkdf_sha256(
                    $0.baseAddress, $0.count, salt, saltCount, info, info.count, output.baseAddress, output.count)
            }
        }
    }

    /// `count` bytes derived from input that is public, such as a compressed fabric identifier.
    /// - Throws: as above.
    package static func sha256(
        secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int
    ) throws(CryptoError) -> [UInt8] {
        try sha256(secret: SecretBytes(secret), salt: salt, info: info, count: count).copyBytes()
    }
}

/// PBKDF2 (RFC 8018) with HMAC-SHA256, within the bounds of Crypto_PBKDF.
package enum PBKDF2 {
    /// Octets of a salt.
    static let saltCounts = 16...32

    /// `count` bytes derived from a password.
    /// - Throws: `crypto.invalid-length` for an empty password or result or a salt that is not of 16 to 32 bytes;
    ///   `crypto.invalid-parameter` for an iteration count that is not positive.
    package static func sha256(
        password: SecretBytes, salt: [UInt8], iterations: Int, count: Int
    ) throws(CryptoError) -> SecretBytes {
        guard !password.isEmpty else { throw CryptoError(.invalidLength, "the password is empty") }
        guard saltCounts ~= salt.count else {
            throw CryptoError(.invalidLength, "a PBKDF2 salt has 16 to 32 bytes, not \(salt.count)")
        }
        guard count > 0 else { throw CryptoError(.invalidLength, "PBKDF2 cannot give \(count) bytes") }
        guard iterations > 0, let rounds = Int32(exactly: iterations) else {
            throw CryptoError(.invalidParameter, "PBKDF2 cannot run \(iterations) iterations")
        }
        return try SecretBytes(count: count) { (output) throws(CryptoError) in
            let status = password.withUnsafeBytes {
                copenssl_pbkdf2_sha256(
                    $0.baseAddress, $0.count, salt, salt.count, rounds, output.baseAddress, output.count)
            }
            guard status == 1 else { throw CryptoError.library("derive a key with PBKDF2") }
        }
    }
}
