package import Logging
import MatterCrypto

/// Fetches lists of revoked certificates from where their issuers publish them: `http:` as well, since a list is signed.
public actor ListFetcher {
    /// The time of one list.
    private static let patience = Duration.seconds(15)
    private static let longestWay = 4

    private let ledger: BaseURL
    private let environment: [String: String]
    private let userAgent: String
    private let logger: Logger
    private let deadline: ContinuousClock.Instant
    private let connect: @Sendable (HTTPSettings) -> any HTTPTransport
    /// By the proxy's name, empty for none.
    private var transports: [String: any HTTPTransport] = [:]

    /// - Parameters:
    ///   - ledger: if it is on this machine, lists may be too.
    ///   - environment: the variables of ``ProxySettings``.
    ///   - deadline: the end of all that it does.
    package init(
        ledger: BaseURL, environment: [String: String], userAgent: String, logger: Logger,
        deadline: ContinuousClock.Instant,
        connect: @escaping @Sendable (HTTPSettings) -> any HTTPTransport = { CurlTransport($0) }
    ) {
        self.ledger = ledger
        self.environment = environment
        self.userAgent = userAgent
        self.logger = logger
        self.deadline = deadline
        self.connect = connect
    }

    package func close() async {
        for transport in transports.values { await transport.close() }
        transports = [:]
    }

    /// - Throws: ``HTTPError``, ``LedgerError`` for an answer that is no list, or `CancellationError`.
    public func fetch(_ url: String) async throws -> [UInt8] {
        let end = min(deadline, .now + Self.patience)
        var place = try Place(url)
        for _ in 0..<Self.longestWay {
            guard !place.origin.isLoopback || ledger.isLoopback else {
                throw LedgerError(.refused, "the list is said to be on this machine")
            }
            let service = HTTPService(
                url: place.origin, transport: try transport(for: place.origin), retries: RetryPolicy(attempts: 2),
                followsRedirections: true, logger: logger)
            let answer = try await service.send(HTTPRequest(.get, place.target), deadline: end)
            if (300...399).contains(answer.status), let location = answer.headers["location"] {
                place = try place.next(location)
                continue
            }
            guard answer.status == 200 else {
                throw LedgerError(.failing, "there is no list (HTTP \(answer.status))", status: answer.status)
            }
            return answer.body
        }
        throw LedgerError(.refused, "the list is redirected too often")
    }

    private func transport(for url: BaseURL) throws -> any HTTPTransport {
        let proxy = try ProxySettings.settings(for: url, environment: environment)
        let name = proxy.map { "\($0.host):\($0.port)" } ?? ""
        if let transport = transports[name] { return transport }
        let transport = connect(
            HTTPSettings(
                proxy: proxy, largestBody: CertificateRevocationList.maximumCount, userAgent: userAgent,
                reach: .publicInternet(orHere: ledger.isLoopback)))
        transports[name] = transport
        return transport
    }

    /// Where a list is: a service, and path and query.
    private struct Place {
        let origin: BaseURL
        let target: String

        init(_ url: String) throws(HTTPError) {
            let text = url.prefix { $0 != "#" }
            let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
            let end = text[start...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
            origin = try BaseURL(parsing: String(text[..<end]), isPublic: true)
            let rest = text[end...]
            guard rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw HTTPError(.invalidURL, "the URL of the list has characters that no URL has")
            }
            target = rest.hasPrefix("/") ? String(rest) : "/\(rest)"
        }

        private init(origin: BaseURL, target: String) {
            self.origin = origin
            self.target = target
        }

        func next(_ location: String) throws(HTTPError) -> Place {
            guard location.hasPrefix("/"), !location.hasPrefix("//") else { return try Place(location) }
            return Place(origin: origin, target: location)
        }
    }
}
