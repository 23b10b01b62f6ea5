import COpenSSL

/// Bytes that must not leak: keys, shared secrets, passcode verifiers.
///
/// They print as their count only, compare in constant time, and are overwritten before their memory is freed. Copies of
/// the reference share the one buffer, so there is nothing else to wipe.
public final class SecretBytes: Sendable, Equatable {
    // Safe to share: the buffer is written in `init` and wiped in `deinit`, and is only read in between. No index comes from
    // outside: readers get the whole buffer with its own count, and `part` checks its range.
    private nonisolated(unsafe) let buffer: UnsafeMutableRawBufferPointer

    /// Copies `bytes`; the caller's own copy is not wiped.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { target in
            // The library's copying from any collection looks for conformances: 200,000 instructions at its first call.
            let isCopied: Void? = bytes.withContiguousStorageIfAvailable {
                target.copyMemory(from: UnsafeRawBufferPointer($0))
            }
            if isCopied == nil { target.copyBytes(from: bytes) }
        }
    }

    /// A secret of `count` bytes, zero until `fill` writes them.
    package init<Failure: Error>(
        count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        buffer = .allocate(byteCount: max(0, count), alignment: MemoryLayout<UInt64>.alignment)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        try fill(buffer)
    }

    deinit {
        OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        buffer.deallocate()
    }

    /// How many bytes there are.
    package var count: Int { buffer.count }

    /// True if there are none.
    package var isEmpty: Bool { buffer.isEmpty }

    /// Lends the bytes without copying them; they are not valid after `body` returns.
    package func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(buffer))
    }

    /// A plain copy, for a file of keys or a message field. It is not wiped: keep it short-lived.
    package func copyBytes() -> [UInt8] {
        Array(buffer)
    }

    /// The bytes of `range` as a secret of their own.
    /// - Throws: `crypto.invalid-length` where the range reaches outside.
    package func part(_ range: Range<Int>) throws(CryptoError) -> SecretBytes {
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw CryptoError(.invalidLength, "bytes \(range) of a secret of \(count)")
        }
        return SecretBytes(UnsafeRawBufferPointer(rebasing: buffer[range]))
    }

    /// These bytes and further ones after them.
    package func appending(_ more: [UInt8]) -> SecretBytes {
        SecretBytes(count: count + more.count) { joined in
            joined.copyMemory(from: UnsafeRawBufferPointer(buffer))
            UnsafeMutableRawBufferPointer(rebasing: joined[count...]).copyBytes(from: more)
        }
    }

    /// True if both hold the same bytes, in a time that depends on their counts only.
    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left.buffer.baseAddress, right.buffer.baseAddress, left.count) == 0
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value as text, as messages and logs show it.
    public var description: String { "<\(count) secret bytes>" }
    /// The value as text, without the secret.
    public var debugDescription: String { description }
    /// The text for debuggers: nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// True if two strings of bytes are equal, in a time that depends on their counts only: for message codes and digests
/// that an attacker may guess at.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
