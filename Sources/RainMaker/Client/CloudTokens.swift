import FoundationEssentials
import MatterBase

/// The tokens of one session with the cloud.
package struct CloudTokens: Sendable, Equatable {
    package var access: SecretText
    package var refresh: SecretText
    /// When the access token expires, seconds since 1970; `nil` where it does not say.
    package var expires: Int64?

    /// How long before its end a token is renewed, seconds.
    static let margin: Int64 = 60
    /// How long an access token is taken to last if it does not say, seconds.
    static let presumedLife: Int64 = 3550
    /// The longest refresh token that controllers can store (docs/rainmaker.md).
    static let longestRefreshToken = 2047

    /// True if the access token should be renewed before it is used.
    func needsRefresh(at now: Int64) -> Bool {
        guard let expires else { return false }
        return now >= expires - Self.margin
    }

    /// A token goes into a header: nothing but printable ASCII without blanks.
    static func isHeaderValue(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.count <= 16_384 && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The `exp` of a JSON web token, read without verification: it only says when to renew (RFC 7519, 4.1.4).
    static func expiry(ofJWT token: String) -> Int64? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var base64 = String(parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let octets = Data(base64Encoded: base64),
            let claims = try? JSONValue(parsing: Array(octets), limits: JSONLimits(depth: 8, values: 500))
        else { return nil }
        let seconds: Int64? =
            if case .double(let seconds) = claims["exp"] {
                Int64(exactly: seconds.rounded(.down))
            } else {
                claims["exp"]?.integer()
            }
        return seconds.flatMap(UnixTime.plausible)
    }

    // MARK: Keeping

    func encoded() -> [UInt8] {
        var object: JSONObject = [
            "accesstoken": .string(access.revealed), "refreshtoken": .string(refresh.revealed),
        ]
        object["expires"] = expires.map { .int($0) }
        return JSONValue.object(object).utf8()
    }
}

extension CloudTokens {
    /// Reads the answer to a login or a refresh.
    /// - Parameter refresh: the token in use, which a refresh does not replace.
    init(_ object: JSONObject, refresh: SecretText?, now: Int64, _ operation: String) throws(RainMakerError) {
        let fields = CloudFields(object, operation)
        let access = try fields.nonEmptyString("accesstoken")
        guard Self.isHeaderValue(access) else { throw fields.wrong("accesstoken", "usable as a token") }
        let given = try fields.optionalString("refreshtoken").flatMap { $0.isEmpty ? nil : $0 }
        guard let token = given.map({ SecretText($0) }) ?? refresh else {
            throw .malformed("it lacks 'refreshtoken'", operation)
        }
        self.access = SecretText(access)
        self.refresh = token
        expires = Self.expiry(ofJWT: access) ?? now + Self.presumedLife
    }

    init(decoding contents: [UInt8]) throws(RainMakerError) {
        guard let object = (try? JSONValue(parsing: contents))?.objectValue,
            let access = object["accesstoken"]?.stringValue, let refresh = object["refreshtoken"]?.stringValue
        else {
            throw RainMakerError(
                .notLoggedIn, "the stored tokens cannot be read", hint: .step("cloud.log-in-again"))
        }
        let expires: Int64? = object["expires"]?.integer()
        self.init(
            access: SecretText(access), refresh: SecretText(refresh),
            expires: expires.flatMap(UnixTime.plausible))
    }
}
