import COpenSSL

/// The kinds of digest of firmware images and of the ledger's checksums: the numbers of IANA's registry of named information hash
/// algorithms (RFC 6920, section 9.4).
package enum ImageDigest: UInt8, Sendable, CaseIterable {
    case sha256 = 1
    case sha256First128, sha256First120, sha256First96, sha256First64, sha256First32
    case sha384, sha512
    case sha3With224, sha3With256, sha3With384, sha3With512

    /// Octets in a digest.
    package var count: Int {
        switch self {
        case .sha256, .sha3With256: 32
        case .sha256First128: 16
        case .sha256First120: 15
        case .sha256First96: 12
        case .sha256First64: 8
        case .sha256First32: 4
        case .sha384, .sha3With384: 48
        case .sha512, .sha3With512: 64
        case .sha3With224: 28
        }
    }

    /// True if it is the beginning of SHA-256, or all of it.
    package var isSHA256: Bool { rawValue <= Self.sha256First32.rawValue }

    /// - Returns: the digest of a message; `nil` if libcrypto does not have the function.
    package func digest(of message: [UInt8]) -> [UInt8]? {
        switch self {
        case .sha256, .sha256First128, .sha256First120, .sha256First96, .sha256First64, .sha256First32:
            Array(SHA256.hash(message).prefix(count))
        case .sha384: other("SHA384", message)
        case .sha512: other("SHA512", message)
        case .sha3With224: other("SHA3-224", message)
        case .sha3With256: other("SHA3-256", message)
        case .sha3With384: other("SHA3-384", message)
        case .sha3With512: other("SHA3-512", message)
        }
    }

    private func other(_ name: String, _ message: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 64)
        let size = copenssl_digest(name, message, message.count, &digest)
        return size == count ? Array(digest.prefix(size)) : nil
    }
}
