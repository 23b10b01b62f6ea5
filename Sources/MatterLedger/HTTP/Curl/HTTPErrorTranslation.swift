import CCurl
import MatterBase

/// How an exchange ended without an answer, in libcurl's terms.
struct CurlOutcome {
    var code: CCurlCode
    /// libcurl's text for the code.
    var words = ""
    /// Whether more came than an answer may have.
    var isTooLarge = false
    /// Whether the deadline of the call has passed.
    var isLate = false
    /// Whether the request was sent, perhaps on a connection of an earlier one; `false` before version 7.80.
    var isSent = false
    /// Whether there was a new connection, and whether TLS was set up on it.
    var isConnected = false
    var isSecured = false
    /// The answer of the proxy; 0 for nothing.
    var proxyStatus = 0
}

/// The meaning of a failure of libcurl.
struct HTTPErrorTranslation {
    let url: BaseURL
    let settings: HTTPSettings

    func error(_ outcome: CurlOutcome) -> HTTPError {
        if let proxyError = proxyError(outcome) { return proxyError }
        if outcome.isTooLarge { return tooLarge }
        switch outcome.code {
        case CCURL_FILESIZE_EXCEEDED:
            return tooLarge
        case CCURL_OPERATION_TIMEDOUT:
            return late(outcome)
        case CCURL_COULDNT_RESOLVE_HOST, CCURL_COULDNT_RESOLVE_PROXY:
            return unreachable(": unknown host")
        case CCURL_COULDNT_CONNECT:
            return unreachable("")
        case CCURL_PEER_FAILED_VERIFICATION:
            return HTTPError(
                .tlsFailed, "the certificate of \(url) is not trusted",
                hint: .step("http.own-authority"))
        case CCURL_SSL_CACERT_BADFILE:
            if let file = settings.authorityFile { return AuthorityBundle.unusable(file) }
            return HTTPError(
                .tlsFailed, "the certificate authorities of this system cannot be read",
                hint: .step("http.no-authorities"))
        case CCURL_SSL_CONNECT_ERROR, CCURL_SSL_CIPHER:
            return HTTPError(.tlsFailed, "the TLS handshake with \(url) failed")
        case CCURL_PARTIAL_FILE, CCURL_GOT_NOTHING, CCURL_SEND_ERROR, CCURL_RECV_ERROR, CCURL_ABORTED_BY_CALLBACK:
            return HTTPError(.connectionLost, "\(place) ended the connection before the answer was complete")
        case CCURL_UNSUPPORTED_PROTOCOL, CCURL_WEIRD_SERVER_REPLY, CCURL_BAD_CONTENT_ENCODING:
            return HTTPError(.malformed, "what \(url) answers is not HTTP")
        case CCURL_URL_MALFORMAT:
            return HTTPError(.invalidURL, "\(url) is not usable as a URL")
        default:
            return HTTPError(.connectionLost, "the exchange with \(url) failed (\(outcome.words))")
        }
    }

    /// The call took longer than it may.
    var timedOut: HTTPError { HTTPError(.timedOut, "\(url) did not answer in time") }

    /// Its host is where a stranger's URL may not lead.
    var isPrivate: HTTPError {
        HTTPError(.privateAddress, "\(url) is in a private network, where no URL of the ledger may lead")
    }

    private var tooLarge: HTTPError {
        HTTPError(.tooLarge, "\(url) sends an answer of more than \(settings.largestBody) bytes")
    }

    private var place: String { settings.proxy.map { "the proxy \($0.host):\($0.port)" } ?? "\(url)" }

    private func unreachable(_ more: String) -> HTTPError {
        HTTPError(
            .unreachable, "no server accepts connections at \(place)\(more)", hint: "check the network and the URL")
    }

    /// The limit that was reached first.
    private func late(_ outcome: CurlOutcome) -> HTTPError {
        if outcome.isLate || outcome.isSent || outcome.isSecured { return timedOut }
        if !outcome.isConnected { return unreachable(" in time") }
        if url.scheme == .https {
            return HTTPError(.tlsFailed, "the TLS handshake with \(url) took too long")
        }
        return timedOut
    }

    /// The failure of the proxy, if the tunnel through it was not set up.
    private func proxyError(_ outcome: CurlOutcome) -> HTTPError? {
        guard settings.proxy != nil, url.scheme == .https, !outcome.isSent, outcome.isConnected, !outcome.isLate,
            !(200...299).contains(outcome.proxyStatus)
        else { return nil }
        switch outcome.proxyStatus {
        case 0: return HTTPError(.proxyFailed, "\(place) does not answer like a proxy")
        case 407:
            return HTTPError(
                .proxyFailed, "\(place) asks for a user name and password",
                hint: "put them into the variable: http://USER:PASSWORD@HOST:PORT")
        default: return HTTPError(.proxyFailed, "\(place) refuses the connection (\(outcome.proxyStatus))")
        }
    }
}
