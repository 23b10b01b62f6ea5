import COpenSSL

/// SHA-256 (FIPS 180-4). A value: a copy goes on independently, so a handshake can take the digest of its transcript at
/// several points.
public struct SHA256: Sendable {
    /// Octets in a digest.
    package static let digestCount = 32

    private var context = SHA256_CTX()

    package init() {
        copenssl_sha256_init(&context)
    }

    /// Appends bytes to what is hashed.
    package mutating func update(_ bytes: [UInt8]) {
        copenssl_sha256_update(&context, bytes, bytes.count)
    }

    /// The digest of all that was appended so far; more may follow.
    package func digest() -> [UInt8] {
        var copy = context
        return [UInt8](unsafeUninitializedCapacity: Self.digestCount) { buffer, count in
            copenssl_sha256_final(&copy, buffer.baseAddress)
            count = Self.digestCount
        }
    }

    /// The digest of `message`, 32 bytes.
    public static func hash(_ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: digestCount) { buffer, count in
            copenssl_sha256(message, message.count, buffer.baseAddress)
            count = digestCount
        }
    }

    /// The digest of a secret message, where the digest is itself a key.
    package static func hash(_ message: SecretBytes) -> SecretBytes {
        SecretBytes(count: digestCount) { digest in
            message.withUnsafeBytes {
                copenssl_sha256($0.baseAddress, $0.count, digest.assumingMemoryBound(to: UInt8.self).baseAddress)
            }
        }
    }
}

/// SHA-1 (FIPS 180-4), for certificate key identifiers and the handshake of a WebSocket only: it does not resist collisions.
package enum SHA1 {
    /// Octets in a digest.
    static let digestCount = 20

    /// The digest of `message`, 20 bytes.
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: digestCount) { buffer, count in
            copenssl_sha1(message, message.count, buffer.baseAddress)
            count = digestCount
        }
    }
}
