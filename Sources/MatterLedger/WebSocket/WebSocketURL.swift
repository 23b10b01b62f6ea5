import MatterBase

/// Where a WebSocket is: `wss://host[:port][/path]`, `ws://…` for this machine, or a Unix socket (`unix:/path`,
/// `ws+unix:///path`).
public struct WebSocketURL: Hashable, Sendable, CustomStringConvertible {
    enum Place: Hashable, Sendable {
        case service(BaseURL)
        case socket(path: String)
    }

    /// The address of a Unix socket has room for so many bytes (unix(7)).
    private static let longestSocket = 107
    /// The beginning of the tokens of our own server.
    private static let tokenPrefix = "mctl_"
    /// The path that servers of Matter controllers have, where none is given.
    private static let usualPath = "/ws"

    let place: Place

    /// Reads the address of a WebSocket.
    ///
    /// - Parameter allowsPlain: whether `ws:` may lead to another machine, so that messages travel unencrypted.
    /// - Throws: ``WebSocketError`` with `invalidURL`, or `insecureURL`.
    public init(parsing text: String, allowsPlain: Bool = false) throws(WebSocketError) {
        if let path = Self.socketPath(text) {
            guard path.hasPrefix("/"), path.utf8.count <= Self.longestSocket,
                path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
            else {
                throw Self.invalid("the path of a Unix socket is absolute, and has at most \(Self.longestSocket) bytes")
            }
            place = .socket(path: path)
            return
        }
        guard let separator = text.firstRange(of: "://"),
            let scheme = ["ws": "http", "wss": "https"][text[..<separator.lowerBound].lowercased()]
        else { throw Self.invalid("it does not begin with wss://, ws:// or unix:/") }
        let url: BaseURL
        do {
            url = try BaseURL(parsing: scheme + text[separator.lowerBound...], isPublic: true)
        } catch {
            throw WebSocketError(
                .invalidURL, error.reason.replacing("of a service", with: "of a WebSocket"), hint: Self.example)
        }
        guard url.scheme == .https || url.isLoopback || allowsPlain else {
            throw WebSocketError(
                .insecureURL, "open setup codes would travel unencrypted to \(url.host)", hint: .step("share.insecure"))
        }
        place = .service(url)
    }

    private static let example: Hint = "such as ws://127.0.0.1:5580/ws, wss://hub.lan/ws or unix:/run/matter.sock"

    private static func invalid(_ fault: String) -> WebSocketError {
        WebSocketError(.invalidURL, "this is not the URL of a WebSocket: \(fault)", hint: example)
    }

    private static func socketPath(_ text: String) -> String? {
        for prefix in ["ws+unix://", "ws+unix:", "unix://", "unix:"] where text.hasPrefix(prefix) {
            return String(text.dropFirst(prefix.count))
        }
        return nil
    }

    /// The path of the request.
    var target: String {
        guard case .service(let url) = place, !url.path.isEmpty else { return Self.usualPath }
        return url.path
    }

    /// The path without tokens of our own server.
    private var shownTarget: String {
        target.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(Self.tokenPrefix) ? "…" : String($0) }.joined(separator: "/")
    }

    /// Whether the address has a token of our own server in its path, and so is a secret.
    public var hasToken: Bool { shownTarget != target }

    /// The host, as a request names it.
    var host: String {
        guard case .service(let url) = place else { return "localhost" }
        let name = url.host.contains(":") ? "[\(url.host)]" : url.host
        return url.port == (isEncrypted ? 443 : 80) ? name : "\(name):\(url.port)"
    }

    var isEncrypted: Bool {
        guard case .service(let url) = place else { return false }
        return url.scheme == .https
    }

    /// The address as text, as messages and logs show it: without a token in its path.
    public var description: String {
        switch place {
        case .service: "\(isEncrypted ? "wss" : "ws")://\(host)\(shownTarget)"
        case .socket(let path): "unix:\(path)"
        }
    }
}
