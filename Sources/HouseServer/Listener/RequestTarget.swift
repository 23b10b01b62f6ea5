/// The target of a request (RFC 9112 section 3.2.1), without the token that it may have.
struct RequestTarget: Equatable, Sendable {
    /// The path; `/ws` for a WebSocket.
    var path: String
    /// The query, without the question mark.
    var query: String
    /// The token in the path, for clients that have only a URL.
    var token: String?

    static let webSocket = "/ws"
    /// The beginning of the path of an upload. Its client makes it from the URL of its WebSocket, and has the token in the same place.
    static let upload = "/ota-upload/"

    /// The id of an upload; `nil` for another path.
    var uploadID: String? { path.hasPrefix(Self.upload) ? String(path.dropFirst(Self.upload.count)) : nil }

    /// - Returns: `nil` for a target that is not a path.
    init?(_ target: String) {
        guard target.hasPrefix("/"), !target.hasPrefix("//"),
            target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        query = parts.count > 1 ? String(parts[1]) : ""
        if path.hasPrefix(Self.webSocket + "/") {
            let rest = path.dropFirst(Self.webSocket.count + 1)
            let token = rest.prefix { $0 != "/" }
            let isUpload = rest[token.endIndex...].hasPrefix(Self.upload)
            path = isUpload ? String(rest[token.endIndex...]) : Self.webSocket
            let shown = isUpload ? token : rest
            self.token = shown.isEmpty ? nil : String(shown)
        }
    }
}
