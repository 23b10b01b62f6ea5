import CCurl
import MatterBase

/// The bytes of a connection over TCP, TLS or a Unix socket, which libcurl makes. It lives on one thread.
final class CurlStream {
    /// How a call ended.
    enum Outcome {
        case bytes(Int)
        /// Nothing can be sent or received now.
        case later
        case ended
    }

    private let library: CurlLibrary
    private let easy: OpaquePointer
    private let authorities: AuthorityBundle?

    /// Connects, which keeps the thread until it has come to an end.
    ///
    /// - Throws: ``WebSocketError``; ``HTTPError`` for a file of certificate authorities.
    init(_ url: WebSocketURL, _ settings: HTTPSettings, _ library: CurlLibrary, within time: Duration) throws {
        self.library = library
        authorities = try settings.authorityFile.map {
            try AuthorityBundle(file: $0, system: library.authorityFile)
        }
        guard let easy = ccurl_easy_init(library.handle) else {
            throw WebSocketError(.unreachable, "there is no memory for a connection with \(url)")
        }
        self.easy = easy
        let handle = library.handle
        func set(_ option: CCurlNumberOption, _ value: Int) { _ = ccurl_set_number(handle, easy, option, value) }
        func set(_ option: CCurlTextOption, _ value: String) { _ = ccurl_set_text(handle, easy, option, value) }
        set(CCURL_URL, "\(url.isEncrypted ? "https" : "http")://\(url.host)/")
        if case .socket(let path) = url.place { set(CCURL_UNIX_SOCKET_PATH, path) }
        set(CCURL_CONNECT_ONLY, 1)
        set(CCURL_HTTP_VERSION, CCURL_HTTP_1_1)
        set(CCURL_SSLVERSION, CCURL_TLS_1_2)
        set(CCURL_SSL_VERIFYPEER, 1)
        set(CCURL_SSL_VERIFYHOST, 2)
        if let authorities { set(CCURL_CAINFO, authorities.path) }
        // Both are set, or libcurl would take them from the environment.
        set(CCURL_PROXY, "")
        set(CCURL_NOPROXY, "*")
        set(CCURL_NOSIGNAL, 1)
        let limit = Int(min(max(time / .milliseconds(1), 1), Double(Int32.max)))
        set(CCURL_CONNECTTIMEOUT_MS, limit)
        set(CCURL_TIMEOUT_MS, limit)
        let code = ccurl_connect(handle, easy)
        guard code == CCURL_OK.rawValue, socket >= 0 else { throw Self.failure(code, url, library) }
    }

    deinit { ccurl_easy_cleanup(library.handle, easy) }

    /// The descriptor to wait for.
    var socket: Int32 { ccurl_socket(library.handle, easy) }

    func send(_ bytes: ArraySlice<UInt8>) -> Outcome {
        var count = 0
        let code = bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map { ccurl_send(library.handle, easy, $0, buffer.count, &count) } ?? 0
        }
        return outcome(code, count)
    }

    func receive(_ buffer: inout [UInt8]) -> Outcome {
        var count = 0
        let code = buffer.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { ccurl_receive(library.handle, easy, $0, buffer.count, &count) } ?? 0
        }
        return outcome(code, count)
    }

    private func outcome(_ code: Int32, _ count: Int) -> Outcome {
        switch CCurlCode(UInt32(bitPattern: code)) {
        case CCURL_OK: count > 0 ? .bytes(count) : .ended
        case CCURL_AGAIN: .later
        default: .ended
        }
    }

    private static let check: Hint = "check that the server runs there, and the URL"

    private static func failure(_ code: Int32, _ url: WebSocketURL, _ library: CurlLibrary) -> WebSocketError {
        switch CCurlCode(UInt32(bitPattern: code)) {
        case CCURL_COULDNT_RESOLVE_HOST:
            WebSocketError(.unreachable, "no server accepts connections at \(url): unknown host", hint: check)
        case CCURL_OPERATION_TIMEDOUT:
            WebSocketError(.unreachable, "no server accepts connections at \(url) in time", hint: check)
        case CCURL_PEER_FAILED_VERIFICATION:
            WebSocketError(.tlsFailed, "the certificate of \(url) is not trusted", hint: .step("http.own-authority"))
        case CCURL_SSL_CONNECT_ERROR, CCURL_SSL_CIPHER, CCURL_SSL_CACERT_BADFILE:
            WebSocketError(.tlsFailed, "the TLS handshake with \(url) failed (\(library.words(code)))")
        default: WebSocketError(.unreachable, "no server accepts connections at \(url)", hint: check)
        }
    }
}
