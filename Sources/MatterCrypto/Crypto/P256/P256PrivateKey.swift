import COpenSSL

/// A P-256 key pair, for ECDSA or for ECDH (FIPS 186-5; Matter core specification 3.5).
public final class P256PrivateKey: Sendable {
    /// The private scalar, 32 bytes, big-endian.
    package let scalar: SecretBytes
    /// The public half.
    package let publicKey: P256PublicKey

    /// - Throws: `crypto.invalid-length` unless there are 32 bytes, `crypto.invalid-scalar` for a number outside
    ///   1 ..< n.
    package init(scalar: SecretBytes) throws(CryptoError) {
        publicKey = try P256PublicKey(P256Point.generator(times: P256Scalar(scalar)))
        self.scalar = scalar
    }

    /// A new key pair, whose scalar is the first one in range that the source gives.
    /// - Throws: `crypto.random-failed`.
    package static func generate(_ random: any RandomSource = SystemRandom()) throws(CryptoError) -> P256PrivateKey {
        try P256PrivateKey(scalar: P256Scalar.random(random))
    }

    /// The ECDSA signature with SHA-256 over `message`: r and s, 64 bytes.
    /// - Throws: `crypto.internal`.
    package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let key = scalar.withUnsafeBytes {
            copenssl_p256_key(publicKey.x963, $0.assumingMemoryBound(to: UInt8.self).baseAddress)
        }
        guard let key else { throw CryptoError.library("load a private key") }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { throw CryptoError.library("make a signature context") }
        defer { EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: ECDSASignature.maximumDERCount)
        var count = der.count
        guard EVP_DigestSignInit(context, nil, copenssl_sha256_algorithm(), nil, key) == 1,
            EVP_DigestSign(context, &der, &count, message, message.count) == 1
        else { throw CryptoError.library("sign") }
        return try ECDSASignature.derToRaw(Array(der.prefix(count)))
    }

    /// The ECDH shared secret: the x coordinate, 32 bytes.
    /// - Throws: `crypto.internal`.
    package func sharedSecret(with peer: P256PublicKey) throws(CryptoError) -> SecretBytes {
        let point = try P256Point.reading(x963: peer.x963).multiplied(by: P256Scalar(scalar))
        return try point.x963().part(1..<1 + P256.scalarCount)
    }
}
