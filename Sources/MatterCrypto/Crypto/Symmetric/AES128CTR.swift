import COpenSSL

/// AES-128 in counter mode (NIST SP 800-38A): the obfuscation of message headers for privacy.
package enum AES128CTR {
    /// Encrypts or decrypts `data`, which is the same operation.
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - iv: the first counter block, 16 bytes, counted up as one big-endian number.
    /// - Throws: `crypto.invalid-length`.
    package static func apply(key: SecretBytes, iv: [UInt8], data: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard key.count == 16, iv.count == 16 else {
            throw CryptoError(
                .invalidLength, "AES-128-CTR takes a key and a block of 16 bytes, not \(key.count) and \(iv.count)")
        }
        guard let size = Int32(exactly: data.count) else {
            throw CryptoError(.invalidLength, "\(data.count) bytes are too many for one AES-CTR operation")
        }
        guard let context = EVP_CIPHER_CTX_new() else { throw CryptoError.library("make a cipher context") }
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: data.count)
        var count: Int32 = 0
        let ready = key.withUnsafeBytes { key in
            EVP_EncryptInit_ex2(
                context, copenssl_aes128_ctr(), key.assumingMemoryBound(to: UInt8.self).baseAddress, iv, nil)
        }
        guard ready == 1, EVP_EncryptUpdate(context, &output, &count, data, size) == 1 else {
            throw CryptoError.library("encrypt with AES-CTR")
        }
        return output
    }
}
