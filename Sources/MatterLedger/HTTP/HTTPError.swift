public import MatterBase

/// Why an HTTP exchange could not be completed. Never holds a header, a body or the credentials of a proxy.
public struct HTTPError: CodedError, Equatable {
    /// The kind of fault. The raw value is stable and meant for programs.
    public enum Code: String, ErrorCode, CaseIterable {
        /// A base URL that is none, or that this program does not accept.
        case invalidURL = "http.invalid-url"
        /// `http:` to another machine: a token would travel in the clear.
        case insecureURL = "http.insecure-url"
        /// Proxy variables or a file of certificate authorities that cannot be used.
        case invalidSettings = "http.invalid-settings"
        /// The host has no address, or no server accepts connections there.
        case unreachable = "http.unreachable"
        /// The host is in a private network, and a stranger chose the URL.
        case privateAddress = "http.private-address"
        /// The TLS handshake failed: mostly an unknown certificate authority.
        case tlsFailed = "http.tls-failed"
        /// The connection ended before the answer was complete.
        case connectionLost = "http.connection-lost"
        /// The time for the call was used up.
        case timedOut = "http.timed-out"
        /// More bytes than an answer may have.
        case tooLarge = "http.too-large"
        /// The proxy refused or could not be used.
        case proxyFailed = "http.proxy-failed"
        /// A redirection, which is not followed because the token would go along.
        case redirected = "http.redirected"
        /// Something that is not HTTP.
        case malformed = "http.malformed"
        /// libcurl is not installed, or too old.
        case libraryMissing = "http.library-missing"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .libraryMissing: .serviceMissing
            case .invalidURL, .insecureURL, .invalidSettings, .unreachable, .privateAddress, .tlsFailed,
                .connectionLost, .timedOut, .tooLarge, .proxyFailed, .redirected, .malformed:
                .issuerFailed
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person.
    public var reason: String
    /// Advice, where that is known.
    public var hint: Hint?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// Whether the call may have been processed although no answer came: a repetition is safe for idempotent calls only.
    var isLossOfConnection: Bool {
        switch code {
        case .unreachable, .connectionLost: true
        default: false
        }
    }
}
