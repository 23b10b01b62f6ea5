/// The target of a request (RFC 9112 section 3.2.1), without the token that it may have.
struct RequestTarget: Equatable, Sendable {
    /// The path; `/ws` for a WebSocket.
    var path: String
    /// The query, without the question mark.
    var query: String
    /// The token in the path, for clients that have only a URL.
    var token: String?

    static let webSocket = "/ws"

    /// - Returns: `nil` for a target that is not a path.
    init?(_ target: String) {
        guard target.hasPrefix("/"), !target.hasPrefix("//"),
            target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        query = parts.count > 1 ? String(parts[1]) : ""
        if path.hasPrefix(Self.webSocket + "/") {
            let token = path.dropFirst(Self.webSocket.count + 1)
            self.token = token.isEmpty ? nil : String(token)
            path = Self.webSocket
        }
    }
}
