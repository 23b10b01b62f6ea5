import COpenSSL

/// AES-CMAC with a 128-bit key (RFC 4493).
final class AESCMAC {
    private static let blockCount = 16

    private let context: OpaquePointer
    /// The constants for a last block: one that is full, and one that had to be padded.
    private var subkeys: (full: [UInt8], padded: [UInt8]) = ([], [])

    /// - Throws: `crypto.invalid-length` for a key that is not of 16 bytes.
    init(key: SecretBytes) throws(CryptoError) {
        guard key.count == AES128CCM.keyCount else {
            throw CryptoError(.invalidLength, "an AES-128 key has 16 bytes, not \(key.count)")
        }
        guard let context = EVP_CIPHER_CTX_new() else { throw CryptoError.library("make a cipher context") }
        self.context = context
        let isReady = key.withUnsafeBytes { key in
            EVP_EncryptInit_ex2(
                context, EVP_aes_128_ecb(), key.assumingMemoryBound(to: UInt8.self).baseAddress, nil, nil) == 1
                && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        }
        guard isReady else { throw CryptoError.library("encrypt with AES") }
        let full = Self.doubled(try encrypt([UInt8](repeating: 0, count: Self.blockCount)))
        subkeys = (full, Self.doubled(full))
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// The message authentication code, 16 bytes.
    func authenticate(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        var state = [UInt8](repeating: 0, count: Self.blockCount)
        var rest = message[...]
        while rest.count > Self.blockCount {
            state = try encrypt(Self.sum(state, rest.prefix(Self.blockCount)))
            rest = rest.dropFirst(Self.blockCount)
        }
        if rest.count == Self.blockCount { return try encrypt(Self.sum(Self.sum(state, rest), subkeys.full[...])) }
        let padded = rest + [0x80] + [UInt8](repeating: 0, count: Self.blockCount - 1 - rest.count)
        return try encrypt(Self.sum(Self.sum(state, padded), subkeys.padded[...]))
    }

    private func encrypt(_ block: [UInt8]) throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: Self.blockCount)
        var count: Int32 = 0
        guard EVP_EncryptUpdate(context, &output, &count, block, Int32(Self.blockCount)) == 1 else {
            throw CryptoError.library("encrypt with AES")
        }
        return output
    }

    private static func sum(_ left: [UInt8], _ right: ArraySlice<UInt8>) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }

    /// Twice a number of the field that RFC 4493 counts in.
    private static func doubled(_ block: [UInt8]) -> [UInt8] {
        let carry: UInt8 = (block.first ?? 0) & 0x80 == 0 ? 0 : 0x87
        return zip(block, block.dropFirst() + [0]).enumerated().map { index, pair in
            pair.0 << 1 ^ (index == blockCount - 1 ? carry : pair.1 >> 7)
        }
    }
}

extension PBKDF2 {
    /// A key of 16 bytes derived from a password with AES-CMAC-PRF-128 (RFC 4615), as Thread does it.
    /// - Throws: `crypto.invalid-length` for an empty password; `crypto.invalid-parameter` for an iteration count that is
    ///   not positive.
    package static func aesCMAC(
        password: SecretBytes, salt: [UInt8], iterations: Int
    ) throws(CryptoError) -> SecretBytes {
        guard !password.isEmpty else { throw CryptoError(.invalidLength, "the password is empty") }
        guard iterations > 0 else {
            throw CryptoError(.invalidParameter, "PBKDF2 cannot run \(iterations) iterations")
        }
        let isKey = password.count == AES128CCM.keyCount
        let zero = SecretBytes([UInt8](repeating: 0, count: AES128CCM.keyCount))
        let key = isKey ? password : SecretBytes(try AESCMAC(key: zero).authenticate(password.copyBytes()))
        let cmac = try AESCMAC(key: key)
        var block = try cmac.authenticate(salt + [0, 0, 0, 1])
        var result = block
        for _ in 1..<iterations {
            block = try cmac.authenticate(block)
            for index in result.indices { result[index] ^= block[index] }
        }
        return SecretBytes(result)
    }
}
