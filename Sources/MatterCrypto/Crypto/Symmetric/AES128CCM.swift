import COpenSSL
import Synchronization

/// AES-CCM with a 128-bit key (NIST SP 800-38C): the encryption of every secure message.
///
/// One object serves one key for its whole life and may be used from several threads. The key schedule of each direction
/// is kept, so a message costs no set-up beyond its nonce.
package final class AES128CCM: Sendable {
    /// Octets in a key.
    package static let keyCount = 16
    /// Octets that a nonce may have; a Matter message has 13.
    static let nonceCounts = 7...13

    private let key: SecretBytes
    private let sealing: Mutex<CCMContext>
    private let opening: Mutex<CCMContext>

    /// - Throws: `crypto.invalid-length` for a key that is not of 16 bytes.
    package init(key: SecretBytes) throws(CryptoError) {
        guard key.count == Self.keyCount else {
            throw CryptoError(.invalidLength, "an AES-128 key has 16 bytes, not \(key.count)")
        }
        self.key = key
        sealing = Mutex(try CCMContext(encrypting: true))
        opening = Mutex(try CCMContext(encrypting: false))
    }

    /// Encrypts, and authenticates the result and `aad`.
    /// - Parameters:
    ///   - plaintext: with a nonce of 13 bytes at most 65535 bytes.
    ///   - nonce: 7 to 13 bytes, never used twice with one key.
    ///   - aad: bytes that travel in the clear and are authenticated too.
    ///   - tagLength: bytes of the tag: 4, 6, … 16.
    /// - Returns: the ciphertext, as long as the plaintext, followed by the tag.
    /// - Throws: `crypto.invalid-length`.
    package func seal(
        _ plaintext: [UInt8], nonce: [UInt8], aad: [UInt8] = [], tagLength: Int = 16
    ) throws(CryptoError) -> [UInt8] {
        let shape = try CCMShape(nonce: nonce, aad: aad, tagLength: tagLength, textCount: plaintext.count)
        var output = [UInt8](repeating: 0, count: plaintext.count + tagLength)
        let sealed = sealing.withLock {
            $0.prepare(shape, key) && $0.seal(plaintext, nonce, aad, shape, into: &output)
        }
        guard sealed else { throw CryptoError.library("encrypt with AES-CCM") }
        return output
    }

    /// Decrypts what ``seal(_:nonce:aad:tagLength:)`` gave, if it is whole.
    /// - Throws: `crypto.authentication-failed` when the text, the tag, the nonce, `aad` or the key is not the one that
    ///   was sealed; `crypto.invalid-length`, also for fewer bytes than a tag has.
    package func open(
        _ ciphertext: [UInt8], nonce: [UInt8], aad: [UInt8] = [], tagLength: Int = 16
    ) throws(CryptoError) -> [UInt8] {
        let shape = try CCMShape(nonce: nonce, aad: aad, tagLength: tagLength, textCount: ciphertext.count - tagLength)
        var output = [UInt8](repeating: 0, count: Int(shape.textCount))
        let opened = opening.withLock {
            $0.prepare(shape, key) && $0.open(ciphertext, nonce, aad, shape, into: &output)
        }
        guard opened else {
            ERR_clear_error()
            throw CryptoError(.authenticationFailed, "the message does not authenticate under this key and nonce")
        }
        return output
    }
}

/// The lengths of one operation, checked.
private struct CCMShape {
    let nonceCount: Int32
    let tagCount: Int32
    let textCount: Int32
    let aadCount: Int32

    init(nonce: [UInt8], aad: [UInt8], tagLength: Int, textCount: Int) throws(CryptoError) {
        guard AES128CCM.nonceCounts ~= nonce.count else {
            throw CryptoError(.invalidLength, "a CCM nonce has 7 to 13 bytes, not \(nonce.count)")
        }
        guard 4...16 ~= tagLength, tagLength.isMultiple(of: 2) else {
            throw CryptoError(.invalidLength, "a CCM tag cannot have \(tagLength) bytes")
        }
        guard textCount >= 0 else {
            throw CryptoError(.invalidLength, "\(textCount + tagLength) bytes cannot hold a tag of \(tagLength)")
        }
        // The text's length is encoded in what the nonce leaves of 15 bytes.
        guard textCount >> (8 * (15 - nonce.count)) == 0, let textCount = Int32(exactly: textCount),
            let aadCount = Int32(exactly: aad.count)
        else {
            throw CryptoError(.invalidLength, "the message is too long for a CCM nonce of \(nonce.count) bytes")
        }
        nonceCount = Int32(nonce.count)
        tagCount = Int32(tagLength)
        self.textCount = textCount
        self.aadCount = aadCount
    }
}

/// libcrypto's cipher context for one direction. It holds the key schedule for the nonce and tag lengths used last.
private struct CCMContext: ~Copyable {
    private let pointer: OpaquePointer
    private let direction: Int32
    private var nonceCount: Int32 = 0
    private var tagCount: Int32 = 0

    init(encrypting: Bool) throws(CryptoError) {
        guard let pointer = EVP_CIPHER_CTX_new() else { throw CryptoError.library("make a cipher context") }
        self.pointer = pointer
        direction = encrypting ? 1 : 0
    }

    deinit {
        EVP_CIPHER_CTX_free(pointer)
    }

    mutating func prepare(_ shape: CCMShape, _ key: SecretBytes) -> Bool {
        if shape.nonceCount == nonceCount, shape.tagCount == tagCount { return true }
        nonceCount = 0
        let ready = key.withUnsafeBytes { key in
            // CCM's parameters have to be known before the key.
            EVP_CipherInit_ex2(pointer, copenssl_aes128_ccm(), nil, nil, direction, nil) == 1
                && EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_IVLEN, shape.nonceCount, nil) == 1
                && EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, shape.tagCount, nil) == 1
                && EVP_CipherInit_ex2(
                    pointer, nil, key.assumingMemoryBound(to: UInt8.self).baseAddress, nil, direction, nil) == 1
        }
        guard ready else { return false }
        nonceCount = shape.nonceCount
        tagCount = shape.tagCount
        return true
    }

    mutating func seal(
        _ plaintext: [UInt8], _ nonce: [UInt8], _ aad: [UInt8], _ shape: CCMShape, into output: inout [UInt8]
    ) -> Bool {
        let sealed = output.withUnsafeMutableBufferPointer { output in
            guard let text = output.baseAddress, begin(nonce, aad, shape) else { return false }
            var count: Int32 = 0
            return EVP_CipherUpdate(pointer, text, &count, plaintext, shape.textCount) == 1
                && EVP_CipherFinal_ex(pointer, text + Int(shape.textCount), &count) == 1
                && EVP_CIPHER_CTX_ctrl(
                    pointer, EVP_CTRL_AEAD_GET_TAG, shape.tagCount, text + Int(shape.textCount)) == 1
        }
        if !sealed { nonceCount = 0 }
        return sealed
    }

    mutating func open(
        _ ciphertext: [UInt8], _ nonce: [UInt8], _ aad: [UInt8], _ shape: CCMShape, into output: inout [UInt8]
    ) -> Bool {
        var tag = Array(ciphertext[Int(shape.textCount)...])
        var count: Int32 = 0
        let opened =
            EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, shape.tagCount, &tag) == 1
            && begin(nonce, aad, shape)
            && EVP_CipherUpdate(pointer, &output, &count, ciphertext, shape.textCount) == 1
        // A refused message may leave the context half-way: the next one starts from the key.
        if !opened { nonceCount = 0 }
        return opened
    }

    /// Sets the nonce, then the text's length, which CCM needs first, then the associated data.
    private func begin(_ nonce: [UInt8], _ aad: [UInt8], _ shape: CCMShape) -> Bool {
        var count: Int32 = 0
        return EVP_CipherInit_ex2(pointer, nil, nil, nonce, direction, nil) == 1
            && EVP_CipherUpdate(pointer, nil, &count, nil, shape.textCount) == 1
            && (aad.isEmpty || EVP_CipherUpdate(pointer, nil, &count, aad, shape.aadCount) == 1)
    }
}
