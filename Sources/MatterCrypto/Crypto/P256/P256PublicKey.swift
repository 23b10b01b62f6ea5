import COpenSSL
import JSON

/// A P-256 public key: a point that is known to lie on the curve.
package struct P256PublicKey: Hashable, Sendable {
    /// The uncompressed point: 0x04, x, y; 65 bytes.
    package let x963: [UInt8]

    /// - Throws: `crypto.invalid-point` for anything but an uncompressed point on the curve.
    package init(x963: [UInt8]) throws(CryptoError) {
        _ = try P256Point.reading(x963: x963)
        self.x963 = x963
    }

    /// Keeps the bytes of a point that is on the curve by construction.
    init(_ point: borrowing P256Point) throws(CryptoError) {
        x963 = try point.x963().copyBytes()
    }

    /// True if `signature` is this key's ECDSA signature with SHA-256 over `message`.
    /// - Parameter signature: r and s, 64 bytes; any other length is no signature.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let der = try? ECDSASignature.rawToDER(signature), let key = copenssl_p256_key(x963, nil) else {
            return false
        }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let valid =
            EVP_DigestVerifyInit(context, nil, copenssl_sha256_algorithm(), nil, key) == 1
            && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
        if !valid { ERR_clear_error() }
        return valid
    }
}

extension P256PublicKey: CustomStringConvertible {
    /// Lower-case hexadecimal digits.
    package var description: String {
        Hex.encode(x963)
    }
}
