import MatterController

/// A token by which a visitor is known: all of it but its text, which is shown once and not kept.
public struct AccessToken: Sendable, Equatable {
    /// The id: 8 hexadecimal digits, which say nothing of the text.
    public let id: String
    /// The name that its owner gave it.
    public let name: String
    /// The rights.
    public let roles: Set<Role>
    /// When it was made, in seconds since 1970.
    public let created: Int64
    /// SHA-256 of the text. The text has 256 random bits, so that a slow hash would add nothing.
    let digest: [UInt8]

    /// Compares in a time that says nothing of the digest.
    func has(_ digest: SecretBytes) -> Bool { SecretBytes(self.digest) == digest }

    /// The visitor who shows it.
    var visitor: Visitor { Visitor(name: name, roles: roles) }
}

/// The text of a token: `mctl_` and 32 random bytes in base64url (RFC 4648 section 5), without padding.
enum TokenText {
    static let prefix = "mctl_"
    private static let randomCount = 32
    /// The longest text that is looked at; a token is shorter.
    static let longest = 128
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func make(_ random: some RandomSource) throws -> String {
        prefix + base64URL(try random.bytes(randomCount))
    }

    static func digest(_ text: [UInt8]) -> [UInt8] { SHA256.hash(text) }

    /// Base64url without padding.
    static func base64URL(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (bits, count) = (0 as UInt32, 0 as UInt32)
        func digit(_ value: UInt32) -> UInt8 { alphabet[Int(value & 0x3F)] }
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digit(bits >> count))
            }
        }
        if count > 0 { text.append(digit(bits << (6 - count))) }
        return String(decoding: text, as: UTF8.self)
    }
}
