import COpenSSL

/// Someone for whom a file is encrypted: only the identity to it opens the file again, so that the machine that makes a backup
/// need not be able to read it (age-encryption.org/v1, X25519).
public struct AgeRecipient: Hashable, Sendable, CustomStringConvertible {
    static let prefix = "age"
    let point: [UInt8]

    init(point: [UInt8]) { self.point = point }

    /// The recipient that a text such as `age1…` names.
    ///
    /// - Throws: ``AgeError`` `invalidKey`.
    public init(_ text: String) throws(AgeError) {
        guard let point = Bech32.decode(text, prefix: Self.prefix), point.count == 32 else {
            let isIdentity = text.uppercased().hasPrefix(AgeIdentity.prefix.uppercased())
            throw AgeError(
                .invalidKey,
                isIdentity
                    ? "a recipient is needed, which begins with age1; that is the identity, which opens the files"
                    : "'\(text.prefix(80))' is not a recipient of age: these begin with age1")
        }
        self.point = point
    }

    /// The text of it.
    public var description: String { Bech32.encode(point, prefix: Self.prefix) }
}

/// The private half of a recipient: it opens the files that were made for that one.
public struct AgeIdentity: Sendable {
    static let prefix = "age-secret-key-"
    package let scalar: SecretBytes
    /// The public half.
    public let recipient: AgeRecipient

    package init(scalar: SecretBytes) throws(AgeError) {
        var point = [UInt8](repeating: 0, count: 32)
        let good = scalar.withUnsafeBytes { bytes in
            bytes.count == 32
                && copenssl_x25519_public(bytes.assumingMemoryBound(to: UInt8.self).baseAddress, &point) == 1
        }
        guard good else { throw AgeError(.invalidKey, "an identity of age has 32 bytes") }
        self.scalar = scalar
        recipient = AgeRecipient(point: point)
    }

    /// A new identity.
    package static func generate(_ random: any RandomSource) throws -> AgeIdentity {
        try AgeIdentity(scalar: try random.secret(32))
    }

    /// The identities in a file as `age-keygen` writes it: one on a line, and comments after `#`.
    ///
    /// - Throws: ``AgeError`` `invalidKey` if a line is something else, or there is none.
    public static func parse(file: String) throws(AgeError) -> [AgeIdentity] {
        var identities: [AgeIdentity] = []
        for (number, line) in file.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let text = line.filter { $0 != "\r" && $0 != " " && $0 != "\t" }
            guard !text.isEmpty, !text.hasPrefix("#") else { continue }
            guard let scalar = Bech32.decode(text, prefix: prefix) else {
                throw AgeError(
                    .invalidKey, "line \(number + 1) is not an identity of age: these begin with AGE-SECRET-KEY-1")
            }
            identities.append(try AgeIdentity(scalar: SecretBytes(scalar)))
        }
        guard !identities.isEmpty else { throw AgeError(.invalidKey, "there is no identity of age in the file") }
        return identities
    }

    /// The secret that this side shares with a point; `nil` for one of small order.
    func shared(with point: [UInt8]) -> SecretBytes? {
        guard point.count == 32 else { return nil }
        return scalar.withUnsafeBytes { scalar in
            var good = false
            let shared = SecretBytes(count: 32) { output in
                good =
                    copenssl_x25519_shared(
                        scalar.assumingMemoryBound(to: UInt8.self).baseAddress, point,
                        output.assumingMemoryBound(to: UInt8.self).baseAddress) == 1
            }
            return good ? shared : nil
        }
    }
}

/// How a file in the age format is protected.
public enum AgeProtection: Sendable {
    /// A passphrase, which people remember.
    case passphrase(SecretBytes)
    /// Recipients, each of whom can open the file.
    case recipients([AgeRecipient])
}

/// The means to open a file in the age format.
public enum AgeKey: Sendable {
    /// The passphrase.
    case passphrase(SecretBytes)
    /// The identities, one of which has to fit.
    case identities([AgeIdentity])
}
