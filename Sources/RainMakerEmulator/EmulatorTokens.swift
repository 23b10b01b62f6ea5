import FoundationEssentials
import MatterCrypto

/// Access tokens: JSON web tokens signed with HMAC-SHA256, so that none has to be stored.
struct EmulatorTokens {
    /// The digits of a refresh token, as many as a real one has.
    private static let refreshOctets = 1275

    let key: SecretBytes

    func access(user: String, session: String, expires: Int64, use: String) throws -> String {
        let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
        let claims: JSONValue = [
            "sub": .string(user), "sid": .string(session), "exp": .int(expires), "token_use": .string(use),
        ]
        let signed = "\(Self.base64(header.utf8())).\(Self.base64(claims.utf8()))"
        return "\(signed).\(Self.base64(try HMACSHA256.authenticate(key: key, message: Array(signed.utf8))))"
    }

    /// The user and session of a token; `nil` if it is not ours or has expired.
    func verify(_ token: String, now: Int64) -> (user: String, session: String)? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Self.octets(parts[1]), let given = Self.octets(parts[2]),
            let code = try? HMACSHA256.authenticate(key: key, message: Array("\(parts[0]).\(parts[1])".utf8)),
            constantTimeEqual(code, given), let json = try? JSONValue(parsing: claims),
            json["token_use"]?.stringValue == "access", let expires = json["exp"]?.integer(as: Int64.self),
            now < expires, let user = json["sub"]?.stringValue, let session = json["sid"]?.stringValue
        else { return nil }
        return (user, session)
    }

    static func refresh(_ random: any RandomSource) throws -> String { base64(try random.bytes(refreshOctets)) }

    static func digest(_ refreshToken: String) -> String { Hex.encode(SHA256.hash(Array(refreshToken.utf8))) }

    private static func base64(_ octets: [UInt8]) -> String {
        String(
            Data(octets).base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    private static func octets(_ text: Substring) -> [UInt8]? {
        var base64 = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64).map { Array($0) }
    }
}
