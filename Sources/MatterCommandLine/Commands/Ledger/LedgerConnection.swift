import MatterLedger
import MatterNetwork

/// The way to the Alliance's ledgers, and to the servers that they point to.
struct LedgerConnection: Sendable {
    private static let attempts = 3

    let output: OutputOptions

    /// Where a ledger is.
    static func url(_ net: LedgerNet) throws -> BaseURL {
        try Environment.variable("MATTERCTL_LEDGER").map { text throws in try BaseURL(parsing: text) } ?? net.url()
    }

    static var proxyVariables: [String: String] {
        var environment: [String: String] = [:]
        for name in ProxySettings.variables { environment[name] = Environment.variable(name) }
        return environment
    }

    static var userAgent: String { "matterctl/\(Version.number)" }

    /// A client for a server. Only the system's certificate authorities count: nothing but TLS proves the ledger's answers.
    ///
    /// - Parameter reach: where the URL may lead, if it is not the user's own.
    func service(
        _ url: BaseURL, largestBody: Int = LedgerClient.largestBody, reach: HTTPReach = .anywhere
    ) throws -> HTTPService {
        let settings = HTTPSettings(
            proxy: try ProxySettings.settings(for: url, environment: Self.proxyVariables), largestBody: largestBody,
            userAgent: Self.userAgent, reach: reach)
        return HTTPService(
            url: url, transport: CurlTransport(settings), retries: RetryPolicy(attempts: Self.attempts),
            logger: try output.logger())
    }

    /// Runs something with a client of a ledger, and ends its connections.
    func withClient<Result>(
        _ net: LedgerNet, time: Duration, _ body: (LedgerClient) async throws -> Result
    ) async throws -> Result {
        let client = LedgerClient(net, service: try service(Self.url(net)), deadline: .now + time)
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }
}
