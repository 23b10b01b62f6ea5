import MatterBase

/// Where a service is: scheme, host and port, and perhaps a path, without a slash at the end (RFC 3986).
///
/// `http:` is accepted for this machine only: tokens do not travel in the clear.
public struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    enum Scheme: String, Sendable {
        case http, https
    }

    let scheme: Scheme
    /// A name in lower case or an address; IPv6 without brackets.
    package let host: String
    package let port: UInt16
    /// Empty, or a path that begins with a slash and does not end with one.
    package let path: String

    private static let longest = 2048

    /// Reads `https://host[:port][/path]`.
    ///
    /// - Parameter isPublic: whether what travels is no secret and proves itself, so that `http:` will do for any host.
    /// - Throws: ``HTTPError`` with `invalidURL`, or `insecureURL` for `http:` to another machine.
    public init(parsing text: String, isPublic: Bool = false) throws(HTTPError) {
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.invalid("it is too long or has characters that no URL has")
        }
        guard let separator = text.firstRange(of: "://"),
            let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased())
        else { throw Self.invalid("it does not begin with https://") }
        let rest = text[separator.upperBound...]
        guard !rest.contains("?"), !rest.contains("#"), !rest.contains("\\") else {
            throw Self.invalid("it has a query or a fragment")
        }
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.contains("@") else {
            throw Self.invalid("it contains a user name or password, which do not belong there")
        }
        (host, port) = try Self.hostAndPort(authority, default: scheme == .https ? 443 : 80)
        self.scheme = scheme
        var path = rest[end...]
        while path.hasSuffix("/") { path = path.dropLast() }
        guard !path.contains("//"), !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw Self.invalid("its path has an empty part or one of dots")
        }
        self.path = String(path)
        guard scheme == .https || isLoopback || isPublic else {
            throw HTTPError(
                .insecureURL, "\(self) would send the access token unencrypted over the network",
                hint: "use https://; http:// is for this machine only (127.0.0.1, ::1, localhost)")
        }
    }

    /// The same service without the last part of its path, if that is `part`.
    package func dropping(lastPathComponent part: String) -> BaseURL {
        guard path.hasSuffix("/" + part) else { return self }
        return BaseURL(
            scheme: scheme, host: host, port: port, path: String(path.dropLast(part.utf8.count + 1)))
    }

    private init(scheme: Scheme, host: String, port: UInt16, path: String) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    private static func hostAndPort(
        _ authority: Substring, default standard: UInt16
    ) throws(HTTPError) -> (String, UInt16) {
        var host = authority
        var portText: Substring?
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { throw invalid("a bracket is not closed") }
            host = authority[authority.index(after: authority.startIndex)..<bracket]
            let after = authority[authority.index(after: bracket)...]
            guard after.isEmpty || after.hasPrefix(":") else { throw invalid("something follows the host") }
            if after.hasPrefix(":") { portText = after.dropFirst() }
            guard !host.isEmpty, host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                throw invalid("its address is not an IPv6 address")
            }
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            portText = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty,
            authority.hasPrefix("[") || host.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) })
        else { throw invalid("its host is empty or no host name") }
        guard let portText else { return (host.lowercased(), standard) }
        guard portText.allSatisfy(\.isNumber), let port = UInt16(portText), port != 0 else {
            throw invalid("its port is not a number from 1 to 65535")
        }
        return (host.lowercased(), port)
    }

    private static func invalid(_ fault: String) -> HTTPError {
        HTTPError(.invalidURL, "this is not the URL of a service: \(fault)", hint: "such as https://api.example.com")
    }

    /// Whether the host is this machine.
    public var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The value as text, as messages and logs show it.
    public var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let isStandard = port == (scheme == .https ? 443 : 80)
        return "\(scheme.rawValue)://\(name)\(isStandard ? "" : ":\(port)")\(path)"
    }
}
