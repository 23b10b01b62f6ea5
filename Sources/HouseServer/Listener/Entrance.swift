/// The head of a request, for the one who lets it in.
struct RequestHead: Sendable {
    var method: String
    var target: String
    /// Fields in their order, names in small letters.
    var fields: [(name: String, value: String)]

    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

/// Where a request comes from.
struct RequestOrigin: Sendable {
    /// True for a Unix socket, whose other side is our own user.
    var isOwnUser: Bool
    /// The address of the other side.
    var address: String
    /// Our address of the connection.
    var local: String?
}

/// The answer at the door.
enum Entry: Sendable {
    case admitted(Visitor, AccessToken?, RequestTarget)
    case refused(Refusal)
}

/// Why a request is not heard.
struct Refusal: Error, Equatable, Sendable {
    /// The status of HTTP.
    var status: Int
    /// A sentence; it comes from no visitor.
    var reason: String
    /// After how long to try again, in seconds.
    var retryAfter: Int?
    /// True if it belongs into the log of an owner.
    var isSuspicious = false

    init(_ status: Int, _ reason: String, retryAfter: Int? = nil, isSuspicious: Bool = false) {
        (self.status, self.reason, self.retryAfter, self.isSuspicious) = (status, reason, retryAfter, isSuspicious)
    }
}

/// Lets requests in, or refuses them. It does no I/O: tokens are looked up by the one who calls, and the clock is theirs.
struct Entrance: Sendable {
    /// The visitor who comes in through the Unix socket.
    static let ownUser = Visitor(name: "this user", roles: [.administer])
    /// The visitor of open paths.
    static let anyone = Visitor(name: "anyone", roles: [])

    private let rule: HostRule
    private let openPaths: Set<String>
    private let isBehindProxy: Bool
    private let proxies: Set<IPAddress>
    private(set) var limit: LoginLimit

    init(_ settings: ListenerSettings, limit: LoginLimit = LoginLimit()) {
        rule = HostRule(settings)
        openPaths = settings.openPaths
        isBehindProxy = settings.isBehindProxy
        proxies = Set(settings.proxies.compactMap { IPAddress($0) })
        self.limit = limit
    }

    /// Decides about a request.
    mutating func entry(
        _ head: RequestHead, from origin: RequestOrigin, now: Duration, token: (String) -> AccessToken?
    ) -> Entry {
        do {
            return try admit(head, origin, now, token)
        } catch {
            return .refused(error)
        }
    }

    private mutating func admit(
        _ head: RequestHead, _ origin: RequestOrigin, _ now: Duration, _ known: (String) -> AccessToken?
    ) throws(Refusal) -> Entry {
        guard let target = RequestTarget(head.target) else { throw Refusal(400, "the target is not a path") }
        let hosts = head.values("host")
        guard hosts.count <= 1 else { throw Refusal(400, "there are several Host fields") }
        // A Unix socket has no name that could lead elsewhere.
        if !origin.isOwnUser {
            guard let host = hosts.first else { throw Refusal(400, "there is no Host field") }
            guard rule.allows(host: host, local: origin.local) else {
                throw Refusal(403, "this server does not answer to that host name", isSuspicious: true)
            }
        }
        for page in head.values("origin") where !rule.allows(origin: page, host: hosts.first) {
            throw Refusal(403, "pages of that origin may not ask this server", isSuspicious: true)
        }
        let shown = try Self.token(head, target)
        var plain = target
        plain.token = nil
        if openPaths.contains(target.path), target.path != RequestTarget.webSocket {
            return .admitted(Self.anyone, nil, plain)
        }
        guard let shown else {
            if origin.isOwnUser { return .admitted(Self.ownUser, nil, plain) }
            throw Refusal(401, "a token is required")
        }
        let address = client(head, origin)
        if let wait = limit.wait(address, now: now) {
            throw Refusal(429, "too many wrong tokens", retryAfter: max(1, Int(wait / .seconds(1)) + 1))
        }
        guard let token = known(shown) else {
            limit.failed(address, now: now)
            throw Refusal(401, "the token is not valid", isSuspicious: true)
        }
        guard !token.roles.isEmpty else { throw Refusal(403, "the token has no rights") }
        return .admitted(token.visitor, token, plain)
    }

    /// The token that a request shows.
    private static func token(_ head: RequestHead, _ target: RequestTarget) throws(Refusal) -> String? {
        let fields = head.values("authorization")
        guard let field = fields.first else { return target.token }
        let parts = field.split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Refusal(401, "the field Authorization is not 'Bearer TOKEN'")
        }
        return String(parts[1])
    }

    /// The address of the one who asks, for limits and logs: behind a proxy, the one that the proxy tells.
    func client(_ head: RequestHead, _ origin: RequestOrigin) -> String {
        guard let peer = IPAddress(origin.address) else { return origin.address }
        guard isBehindProxy, peer.isLoopback || proxies.contains(peer),
            let told = head.values("x-forwarded-for").last?.split(separator: ",").last,
            let address = IPAddress(String(told.drop { $0 == " " }.prefix { $0 != " " }))
        else { return peer.counted }
        return address.counted
    }
}

extension Duration {
    /// How many times another one fits.
    static func / (duration: Duration, other: Duration) -> Double {
        func seconds(_ duration: Duration) -> Double {
            Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        }
        return seconds(duration) / seconds(other)
    }
}
