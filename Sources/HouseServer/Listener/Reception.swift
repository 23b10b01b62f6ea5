/// The part of the server that the listener shows its visitors to. They are known already, and have at least one role, but for open
/// paths.
protocol Reception: Sendable {
    /// Answers a request for a page.
    func page(_ request: PageRequest, of visitor: Visitor) async -> PageResponse

    /// Takes a body that is too large to lie in memory, and answers; also before all of it has come.
    ///
    /// - Parameters:
    ///   - id: the last part of the path, as it was sent.
    ///   - body: comes piece by piece.
    func upload(_ id: String, of visitor: Visitor, _ body: UploadBody) async -> PageResponse

    /// Converses over a WebSocket. The listener closes it afterwards.
    func converse(with visitor: Visitor, over socket: any MessageSocket) async
}

/// A request of HTTP, without its token.
struct PageRequest: Sendable {
    var method: String
    /// The path, without the token and the query.
    var path: String
    /// The query, as it was sent; empty without one.
    var query: String
    /// The fields of the header, by their names in small letters.
    var headers: [String: String]
    /// At most as many bytes as the listener allows.
    var body: [UInt8]
}

/// An answer to a request of HTTP.
struct PageResponse: Sendable {
    var status: Int
    var contentType: String
    /// Further fields of the header.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]
}

/// A WebSocket that has been opened: whole text messages in both directions. Pings are answered below.
protocol MessageSocket: Sendable {
    /// The next message, UTF-8.
    ///
    /// - Returns: `nil` once the other side has closed, or breaks the rules.
    func next() async -> [UInt8]?

    /// Sends one message, whose parts become fragments. Suspends while the connection takes no more.
    ///
    /// - Throws: an error if the connection is gone.
    func send(_ parts: [[UInt8]]) async throws

    /// Closes it, with a reason of RFC 6455 section 7.4.
    func close(code: UInt16) async
}
