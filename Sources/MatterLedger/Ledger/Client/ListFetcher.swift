package import Logging
import MatterCrypto

/// Fetches what vendors publish at URLs that the ledger names: lists of revoked certificates, `http:` as well, since a list is signed; and
/// firmware.
public actor ListFetcher {
    /// The kinds of file.
    enum Kind: String {
        case list, image

        /// The time of one file.
        var patience: Duration { self == .list ? .seconds(15) : .seconds(600) }
        var largest: Int { self == .list ? CertificateRevocationList.maximumCount : UpdateImage.largest }
    }

    private static let longestWay = 4

    private let ledger: BaseURL
    private let environment: [String: String]
    private let userAgent: String
    private let logger: Logger
    private let deadline: ContinuousClock.Instant
    private let connect: @Sendable (HTTPSettings) -> any HTTPTransport
    /// By the kind of file and the proxy's name, empty for none.
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
    public func fetch(_ url: String) async throws -> [UInt8] { try await fetch(url, .list) }

    /// The firmware at a URL, `https:` alone unless both it and the ledger are on this machine.
    ///
    /// - Throws: ``HTTPError``, ``LedgerError``, ``UpdateImageError`` for an answer that is no sound image, or `CancellationError`.
    public func fetchImage(_ url: String) async throws -> UpdateImage { try UpdateImage(await fetch(url, .image)) }

    private func fetch(_ url: String, _ kind: Kind) async throws -> [UInt8] {
        let end = min(deadline, .now + kind.patience)
        var place = try Place(url)
        for _ in 0..<Self.longestWay {
            guard !place.origin.isLoopback || ledger.isLoopback else {
                throw LedgerError(.refused, "the \(kind) is said to be on this machine")
            }
            guard kind == .list || place.origin.scheme == .https || place.origin.isLoopback else {
                throw LedgerError(.refused, "the image would come without encryption")
            }
            let service = HTTPService(
                url: place.origin, transport: try transport(for: place.origin, kind), retries: RetryPolicy(attempts: 2),
                followsRedirections: true, logger: logger)
            let answer = try await service.send(HTTPRequest(.get, place.target), deadline: end)
            if (300...399).contains(answer.status), let location = answer.headers["location"] {
                place = try place.next(location)
                continue
            }
            guard answer.status == 200 else {
                throw LedgerError(.failing, "there is no \(kind) (HTTP \(answer.status))", status: answer.status)
            }
            return answer.body
        }
        throw LedgerError(.refused, "the \(kind) is redirected too often")
    }

    private func transport(for url: BaseURL, _ kind: Kind) throws -> any HTTPTransport {
        let proxy = try ProxySettings.settings(for: url, environment: environment)
        let name = "\(kind) " + (proxy.map { "\($0.host):\($0.port)" } ?? "")
        if let transport = transports[name] { return transport }
        let transport = connect(
            HTTPSettings(
                proxy: proxy, largestBody: kind.largest, userAgent: userAgent,
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
                throw HTTPError(.invalidURL, "the URL has characters that no URL has")
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
