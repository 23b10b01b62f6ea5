/// The client for single HTTP exchanges: the edge to the network, or a stand-in for tests.
public protocol HTTPTransport: Sendable {
    /// One attempt. An answer of any status is an answer.
    ///
    /// - Throws: ``HTTPError``.
    func send(_ request: HTTPRequest, to url: BaseURL, deadline: ContinuousClock.Instant) async throws -> HTTPResponse

    /// Ends all connections.
    func close() async
}

/// To which addresses connections are made.
public enum HTTPReach: Sendable, Equatable {
    /// Anywhere.
    case anywhere
    /// Addresses of the public internet alone, whatever names stand for them: for URLs that a stranger chose.
    ///
    /// - Parameter orHere: whether this machine may be connected to as well.
    case publicInternet(orHere: Bool)
}

/// How connections are made.
public struct HTTPSettings: Sendable, Equatable {
    package var proxy: ProxySettings?
    /// A PEM file of certificate authorities that are trusted besides those of the system.
    package var authorityFile: String?
    /// How long a connection may take to be made.
    package var connectTimeout: Duration
    /// How long the server may be silent within an answer.
    package var readTimeout: Duration
    /// How many bytes the body of an answer may have.
    package var largestBody: Int
    package var userAgent: String
    package var reach: HTTPReach

    /// Settings, with everything else as usual.
    ///
    /// - Parameter largestBody: how many bytes the body of an answer may have.
    public init(
        proxy: ProxySettings? = nil, authorityFile: String? = nil, connectTimeout: Duration = .seconds(10),
        readTimeout: Duration = .seconds(30), largestBody: Int = 4 << 20, userAgent: String = "matterctl",
        reach: HTTPReach = .anywhere
    ) {
        self.proxy = proxy
        self.authorityFile = authorityFile
        self.connectTimeout = connectTimeout
        self.readTimeout = readTimeout
        self.largestBody = largestBody
        self.userAgent = userAgent
        self.reach = reach
    }
}
