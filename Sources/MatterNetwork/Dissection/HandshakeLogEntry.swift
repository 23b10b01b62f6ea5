import MatterCrypto

/// A line of a key log: what a reader of a capture needs to open the certificates in Sigma2 and Sigma3 of one handshake.
///
///     matter-handshake INITIATOR-RANDOM SIGMA2-KEY SIGMA3-KEY
///
/// All in hexadecimal digits: the 32 bytes of Sigma1 that tell handshakes apart, and keys of 16 bytes.
package struct HandshakeLogEntry: Sendable {
    static let word = "matter-handshake"
    private static let (randomLength, keyLength) = (32, 16)

    package var secrets: HandshakeSecrets

    package init(_ secrets: HandshakeSecrets) { self.secrets = secrets }

    /// - Returns: `nil` for a line that is none.
    package init?(line: Substring) {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" })
        guard words.count == 4, words[0] == Self.word, let random = Self.bytes(words[1], Self.randomLength),
            let sigma2 = Self.bytes(words[2], Self.keyLength), let sigma3 = Self.bytes(words[3], Self.keyLength)
        else { return nil }
        secrets = HandshakeSecrets(
            initiatorRandom: random, sigma2: SecretBytes(sigma2), sigma3: SecretBytes(sigma3))
    }

    private static func bytes(_ text: Substring, _ count: Int) -> [UInt8]? {
        guard let bytes = try? Hex.decode(String(text)), bytes.count == count else { return nil }
        return bytes
    }

    /// The line, which is a secret.
    package var line: String {
        let bytes = [secrets.initiatorRandom, secrets.sigma2.copyBytes(), secrets.sigma3.copyBytes()]
        return ([Self.word] + bytes.map { Hex.encode($0) }).joined(separator: " ")
    }
}
