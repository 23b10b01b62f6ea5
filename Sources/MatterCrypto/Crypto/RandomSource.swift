import COpenSSL

/// Where random bytes come from. Protocol code takes one as an argument, so that tests can replay known runs.
public protocol RandomSource: Sendable {
    /// `count` bytes.
    /// - Throws: `crypto.random-failed`.
    func bytes(_ count: Int) throws(CryptoError) -> [UInt8]

    /// `count` bytes that will serve as a key or a private scalar.
    /// - Throws: `crypto.random-failed`.
    func secret(_ count: Int) throws(CryptoError) -> SecretBytes
}

extension RandomSource {
    /// Random bytes that are kept as a secret.
    ///
    /// - Throws: ``CryptoError`` if the system has no randomness.
    public func secret(_ count: Int) throws(CryptoError) -> SecretBytes {
        SecretBytes(try bytes(count))
    }

    /// A uniformly random integer: a session id, a first message counter, a node id.
    /// - Throws: `crypto.random-failed`.
    public func integer<Integer: FixedWidthInteger & UnsignedInteger>(
        _: Integer.Type = Integer.self
    ) throws(CryptoError) -> Integer {
        var integer: Integer = 0
        for octet in try bytes(Integer.bitWidth / 8) { integer = integer << 8 | Integer(truncatingIfNeeded: octet) }
        return integer
    }
}

/// The operating system's generator. libcrypto's own takes longer to set up than a command draws bytes for.
public struct SystemRandom: RandomSource {
    /// The randomness of the system.
    public init() {}

    /// Random bytes.
    ///
    /// - Throws: ``CryptoError`` if the system has no randomness.
    public func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        guard copenssl_random(&bytes, bytes.count) == 1 else { throw failure }
        return bytes
    }

    /// Random bytes that are kept as a secret.
    ///
    /// - Throws: ``CryptoError`` if the system has no randomness.
    public func secret(_ count: Int) throws(CryptoError) -> SecretBytes {
        try SecretBytes(count: count) { (buffer) throws(CryptoError) in
            guard copenssl_random(buffer.baseAddress, buffer.count) == 1 else { throw failure }
        }
    }

    private var failure: CryptoError {
        CryptoError(.randomFailed, "the operating system gives no random bytes")
    }
}
