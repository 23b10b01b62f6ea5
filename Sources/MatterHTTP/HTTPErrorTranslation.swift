import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Tells what a failure of the libraries below means.
struct HTTPErrorTranslation {
    let url: BaseURL
    let proxy: ProxySettings?

    func error(_ error: any Error) -> HTTPError {
        switch error {
        case let error as HTTPClientError: client(error)
        case let error as NIOConnectionError: unreachable(error.isUnknownHost ? ": unknown host" : "")
        case let error as IOError where Self.neverConnected.contains(error.errnoCode): unreachable("")
        case ChannelError.connectTimeout: unreachable(" in time")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: tls(error)
        case is IOError, is ChannelError: lost
        case HTTPParserError.invalidEOFState: lost
        case is HTTPParserError: HTTPError(.malformed, "what \(url) answers is not HTTP")
        default: HTTPError(.connectionLost, "the exchange with \(url) failed (\(type(of: error)))")
        }
    }

    private static let neverConnected: Set<Int32> = [
        ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, EACCES, EPERM,
    ]

    private func unreachable(_ more: String) -> HTTPError {
        HTTPError(
            .unreachable, "nobody accepts connections at \(place)\(more)", hint: "check the network and the URL")
    }

    private var place: String { proxy.map { "the proxy \($0.host):\($0.port)" } ?? "\(url)" }

    private var lost: HTTPError {
        HTTPError(.connectionLost, "\(place) ended the connection before the answer was complete")
    }

    private func client(_ error: HTTPClientError) -> HTTPError {
        switch error {
        case .deadlineExceeded, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout:
            HTTPError(.timedOut, "\(url) did not answer in time")
        case .connectTimeout:
            unreachable(" in time")
        case .tlsHandshakeTimeout: HTTPError(.tlsFailed, "the TLS handshake with \(url) took too long")
        case .remoteConnectionClosed, .uncleanShutdown: lost
        case .proxyAuthenticationRequired:
            HTTPError(.proxyFailed, "\(place) asks for a user name and password", hint: "put them into the variable")
        case .invalidProxyResponse, .httpProxyHandshakeTimeout:
            HTTPError(.proxyFailed, "\(place) does not answer like a proxy")
        case .invalidURL, .emptyHost: HTTPError(.invalidURL, "\(url) is not usable as a URL")
        default: HTTPError(.malformed, "the exchange with \(url) failed: \(error.shortDescription)")
        }
    }

    private func tls(_ error: any Error) -> HTTPError {
        // Library texts name reasons such as CERTIFICATE_VERIFY_FAILED and nothing secret.
        let isUntrusted = "\(error)".contains("CERTIFICATE_VERIFY_FAILED") || error is NIOSSLExtraError
        return HTTPError(
            .tlsFailed,
            isUntrusted
                ? "the certificate of \(url) is not trusted" : "the TLS handshake with \(url) failed",
            hint: isUntrusted ? "for an own certificate authority use --ca FILE or MATTERCTL_CA_FILE" : nil)
    }
}

extension NIOConnectionError {
    fileprivate var isUnknownHost: Bool { dnsAError != nil && dnsAAAAError != nil && connectionErrors.isEmpty }
}
