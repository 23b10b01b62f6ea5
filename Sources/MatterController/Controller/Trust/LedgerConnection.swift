public import Logging
public import MatterLedger

/// The way to the Alliance's ledgers, and to the servers that they point to.
public struct LedgerConnection: Sendable {
    /// The variable that names another ledger, for tests and mirrors.
    private static let override = "MATTERCTL_LEDGER"
    /// The statement of an environment about it.
    public static let variables = [override] + ProxySettings.variables
    private static let attempts = 3

    private let environment: [String: String]
    private let userAgent: String
    private let logger: Logger

    /// - Parameters:
    ///   - environment: what it has of ``variables``.
    ///   - userAgent: who asks, for the servers.
    public init(environment: [String: String], userAgent: String, logger: Logger) {
        self.environment = environment
        self.userAgent = userAgent
        self.logger = logger
    }

    /// Where a ledger is.
    ///
    /// - Throws: ``HTTPError`` for a URL that is none.
    public func url(_ net: LedgerNet) throws -> BaseURL {
        try environment[Self.override].map { text throws in try BaseURL(parsing: text) } ?? net.url()
    }

    /// A client for a server. Only the system's certificate authorities count: nothing but TLS proves the ledger's answers.
    ///
    /// - Parameter reach: where the URL may lead, if it is not the user's own.
    /// - Throws: ``HTTPError`` for a proxy that is none.
    public func service(
        _ url: BaseURL, largestBody: Int = LedgerClient.largestBody, reach: HTTPReach = .anywhere
    ) throws -> HTTPService {
        let settings = HTTPSettings(
            proxy: try ProxySettings.settings(for: url, environment: environment), largestBody: largestBody,
            userAgent: userAgent, reach: reach)
        return HTTPService(
            url: url, transport: CurlTransport(settings), retries: RetryPolicy(attempts: Self.attempts), logger: logger)
    }

    /// Runs something with a client of a ledger, and ends its connections.
    ///
    /// - Throws: ``HTTPError``, and what the body throws.
    public func withClient<Result>(
        _ net: LedgerNet, deadline: ContinuousClock.Instant, _ body: (LedgerClient) async throws -> Result
    ) async throws -> Result {
        let client = LedgerClient(net, service: try service(url(net)), deadline: deadline)
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }

    /// Runs something that fetches lists of revoked certificates, and ends its connections.
    ///
    /// - Throws: ``HTTPError``, and what the body throws.
    public func withListFetcher<Result>(
        _ net: LedgerNet, deadline: ContinuousClock.Instant, _ body: (ListFetcher) async throws -> Result
    ) async throws -> Result {
        let fetcher = ListFetcher(
            ledger: try url(net), environment: environment, userAgent: userAgent, logger: logger, deadline: deadline)
        do {
            let result = try await body(fetcher)
            await fetcher.close()
            return result
        } catch {
            await fetcher.close()
            throw error
        }
    }
}
