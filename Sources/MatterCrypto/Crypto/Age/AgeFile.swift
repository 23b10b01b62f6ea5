import COpenSSL

/// Files in the age format (age-encryption.org/v1; C2SP, age.md): a header that gives the key of the file to those who may have it,
/// and the contents in chunks of 64 KiB. The program `age` opens them.
package enum AgeFile {
    static let intro = "age-encryption.org/v1"
    private static let armor = ("-----BEGIN AGE ENCRYPTED FILE-----", "-----END AGE ENCRYPTED FILE-----")
    private static let chunkCount = 65_536
    private static let tagCount = 16
    private static let fileKeyCount = 16
    private static let nonceCount = 16
    /// The most work that a file may ask for: 16 s, and 4 GiB.
    static let mostWork = 22

    /// Whether bytes are a file of this format, by their beginning.
    package static func isAge(_ octets: [UInt8]) -> Bool {
        octets.starts(with: Array(intro.utf8)) || octets.starts(with: Array(armor.0.utf8))
    }

    /// Whether a file is opened with a passphrase; `nil` if it is not a file of this format, or has no sound header.
    package static func needsPassphrase(_ octets: [UInt8]) -> Bool? {
        guard let binary = try? unarmored(octets), let header = try? AgeHeader(parsing: binary) else { return nil }
        return header.stanzas.contains { $0.type == "scrypt" }
    }

    // MARK: Sealing

    /// Encrypts.
    ///
    /// - Parameters:
    ///   - work: of a passphrase, as a power of two: 18 takes a second, and 256 MiB.
    /// - Throws: ``CryptoError``; ``AgeError`` if there is no recipient.
    package static func seal(
        _ contents: [UInt8], for protection: AgeProtection, work: Int = 18,
        random: any RandomSource = SystemRandom()
    ) throws -> [UInt8] {
        let fileKey = try random.secret(fileKeyCount)
        var stanzas: [AgeHeader.Stanza] = []
        switch protection {
        case .passphrase(let passphrase):
            guard 1...mostWork ~= work else {
                throw AgeError(.tooCostly, "the work of a passphrase is 1 to \(mostWork)")
            }
            let salt = try random.bytes(16)
            let wrapping = try passphraseKey(passphrase, salt: salt, work: work)
            stanzas.append(
                AgeHeader.Stanza(
                    type: "scrypt", arguments: [Base64.encode(salt), "\(work)"],
                    body: try sealed(fileKey.copyBytes(), under: wrapping, nonce: [UInt8](repeating: 0, count: 12))))
        case .recipients(let recipients):
            guard !recipients.isEmpty else { throw AgeError(.invalidKey, "there is no recipient") }
            for recipient in recipients {
                let ephemeral = try AgeIdentity(scalar: try random.secret(32))
                guard let shared = ephemeral.shared(with: recipient.point) else {
                    throw AgeError(.invalidKey, "nothing can be encrypted for the recipient \(recipient)")
                }
                let share = ephemeral.recipient.point
                let wrapping = try recipientKey(shared, share: share, recipient: recipient.point)
                stanzas.append(
                    AgeHeader.Stanza(
                        type: "X25519", arguments: [Base64.encode(share)],
                        body: try sealed(fileKey.copyBytes(), under: wrapping, nonce: [UInt8](repeating: 0, count: 12)))
                )
            }
        }
        var file = AgeHeader.unauthenticated(stanzas)
        let code = try HMACSHA256.authenticate(key: try headerKey(fileKey), message: file)
        file += Array(" \(Base64.encode(code))\n".utf8)
        let nonce = try random.bytes(nonceCount)
        file += nonce
        let key = try HKDF.sha256(secret: fileKey, salt: nonce, info: Array("payload".utf8), count: 32)
        var (start, number) = (0, UInt64(0))
        repeat {
            let end = min(start + chunkCount, contents.count)
            let isLast = end == contents.count
            file += try sealed(Array(contents[start..<end]), under: key, nonce: chunkNonce(number, isLast: isLast))
            (start, number) = (end, number + 1)
        } while start < contents.count
        return file
    }

    // MARK: Opening

    /// Decrypts, and checks every byte.
    ///
    /// - Throws: ``AgeError``; ``CryptoError`` if the library fails.
    package static func open(_ octets: [UInt8], with key: AgeKey) throws -> [UInt8] {
        let binary = try unarmored(octets)
        let header = try AgeHeader(parsing: binary)
        let fileKey = try fileKey(of: header, with: key)
        let code = try HMACSHA256.authenticate(key: try headerKey(fileKey), message: header.authenticated)
        guard constantTimeEqual(code, header.code) else {
            throw AgeError(.damaged, "the header of the file has been altered")
        }
        let payload = binary[header.count...]
        guard payload.count >= nonceCount + tagCount else { throw AgeError(.damaged, "the file is truncated") }
        let payloadKey = try HKDF.sha256(
            secret: fileKey, salt: Array(payload.prefix(nonceCount)), info: Array("payload".utf8), count: 32)
        return try contents(of: payload.dropFirst(nonceCount), under: payloadKey)
    }

    private static func contents(of chunks: ArraySlice<UInt8>, under key: SecretBytes) throws -> [UInt8] {
        var contents: [UInt8] = []
        contents.reserveCapacity(chunks.count)
        var (rest, number) = (chunks, UInt64(0))
        repeat {
            let chunk = rest.prefix(chunkCount + tagCount)
            rest = rest.dropFirst(chunk.count)
            let isLast = rest.isEmpty
            guard let text = opened(Array(chunk), under: key, nonce: chunkNonce(number, isLast: isLast)) else {
                throw AgeError(
                    .damaged,
                    isLast
                        ? "the file is truncated, or its end has been altered"
                        : "the file has been altered behind its byte \(number * UInt64(chunkCount))")
            }
            // Only a file without contents may end with an empty chunk.
            guard !text.isEmpty || number == 0 else {
                throw AgeError(.damaged, "the file has an empty chunk at its end")
            }
            contents += text
            number += 1
        } while !rest.isEmpty
        return contents
    }

    private static func fileKey(of header: AgeHeader, with key: AgeKey) throws -> SecretBytes {
        let scrypt = header.stanzas.filter { $0.type == "scrypt" }
        guard scrypt.isEmpty || header.stanzas.count == 1 else {
            throw AgeError(.damaged, "the file has a passphrase beside other keys, which the format forbids")
        }
        let zero = [UInt8](repeating: 0, count: 12)
        switch key {
        case .passphrase(let passphrase):
            guard let stanza = scrypt.first else {
                throw AgeError(
                    .otherKind, "the file was made for recipients: it is opened with an identity, not with a passphrase"
                )
            }
            guard stanza.arguments.count == 2, let salt = Base64.decodeUnpadded(stanza.arguments[0]), salt.count == 16,
                let work = Int(stanza.arguments[1]), work > 0, "\(work)" == stanza.arguments[1],
                stanza.body.count == fileKeyCount + tagCount
            else { throw AgeError(.damaged, "the header of the file is damaged") }
            guard work <= mostWork else {
                throw AgeError(
                    .tooCostly, "the passphrase of this file asks for 2^\(work) steps; 2^\(mostWork) are allowed")
            }
            let wrapping = try passphraseKey(passphrase, salt: salt, work: work)
            guard let fileKey = opened(stanza.body, under: wrapping, nonce: zero) else {
                throw AgeError(.wrongKey, "the passphrase is wrong")
            }
            return SecretBytes(fileKey)
        case .identities(let identities):
            guard scrypt.isEmpty else {
                throw AgeError(.otherKind, "the file is opened with a passphrase, not with an identity")
            }
            for stanza in header.stanzas where stanza.type == "X25519" {
                guard stanza.arguments.count == 1, let share = Base64.decodeUnpadded(stanza.arguments[0]),
                    share.count == 32, stanza.body.count == fileKeyCount + tagCount
                else { throw AgeError(.damaged, "the header of the file is damaged") }
                for identity in identities {
                    guard let shared = identity.shared(with: share) else {
                        throw AgeError(.damaged, "the header of the file is damaged")
                    }
                    let wrapping = try recipientKey(shared, share: share, recipient: identity.recipient.point)
                    if let fileKey = opened(stanza.body, under: wrapping, nonce: zero) { return SecretBytes(fileKey) }
                }
            }
            throw AgeError(.wrongKey, "the file was not made for this identity")
        }
    }

    // MARK: Keys

    private static func passphraseKey(_ passphrase: SecretBytes, salt: [UInt8], work: Int) throws -> SecretBytes {
        let salt = Array("\(intro)/scrypt".utf8) + salt
        var good = false
        let key = SecretBytes(count: 32) { output in
            good = passphrase.withUnsafeBytes { passphrase in
                copenssl_scrypt(
                    passphrase.baseAddress, passphrase.count, salt, salt.count, 1 << UInt64(work), 8, 1,
                    output.baseAddress, output.count) == 1
            }
        }
        guard good else {
            throw AgeError(
                .tooCostly, "there is not enough memory for the passphrase: \(1 << max(0, work - 10)) MiB are needed")
        }
        return key
    }

    private static func recipientKey(
        _ shared: SecretBytes, share: [UInt8], recipient: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        try HKDF.sha256(secret: shared, salt: share + recipient, info: Array("\(intro)/X25519".utf8), count: 32)
    }

    private static func headerKey(_ fileKey: SecretBytes) throws(CryptoError) -> SecretBytes {
        try HKDF.sha256(secret: fileKey, salt: [], info: Array("header".utf8), count: 32)
    }

    private static func chunkNonce(_ number: UInt64, isLast: Bool) -> [UInt8] {
        [0, 0, 0] + number.bigEndianOctets + [isLast ? 1 : 0]
    }

    private static func sealed(_ text: [UInt8], under key: SecretBytes, nonce: [UInt8]) throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: text.count + tagCount)
        let good = key.withUnsafeBytes { key in
            copenssl_chacha20_poly1305_seal(
                key.assumingMemoryBound(to: UInt8.self).baseAddress, nonce, text, text.count, &output) == 1
        }
        guard good else { throw CryptoError.library("encrypt with ChaCha20-Poly1305") }
        return output
    }

    private static func opened(_ sealed: [UInt8], under key: SecretBytes, nonce: [UInt8]) -> [UInt8]? {
        guard sealed.count >= tagCount else { return nil }
        // A byte more, so that there is a place to write to if there is nothing to write.
        var output = [UInt8](repeating: 0, count: sealed.count - tagCount + 1)
        let good = key.withUnsafeBytes { key in
            copenssl_chacha20_poly1305_open(
                key.assumingMemoryBound(to: UInt8.self).baseAddress, nonce, sealed, sealed.count, &output) == 1
        }
        return good ? Array(output.dropLast()) : nil
    }

    // MARK: Text form

    /// The bytes of a file that may be in the form for text (`age -a`).
    private static func unarmored(_ octets: [UInt8]) throws(AgeError) -> [UInt8] {
        let text = octets.drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }
        guard text.starts(with: Array(armor.0.utf8)) else { return octets }
        let lines = text.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        }
        guard lines.first == armor.0, let end = lines.firstIndex(of: armor.1),
            lines[(end + 1)...].allSatisfy({ $0.allSatisfy(\.isWhitespace) }),
            let binary = Base64.decode(lines[1..<end].joined())
        else { throw AgeError(.damaged, "the text form of the file is damaged") }
        return binary
    }
}
