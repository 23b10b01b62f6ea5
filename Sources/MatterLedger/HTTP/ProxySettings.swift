import MatterBase

/// The proxy that the environment asks for, in the way that curl and most others understand it.
public struct ProxySettings: Sendable, Equatable {
    package var host: String
    package var port: UInt16
    package var userName: String?
    package var password: String?

    /// The proxy for a service; `nil` for a direct connection, which this machine always gets.
    ///
    /// `https_proxy` or `HTTPS_PROXY` for https, `http_proxy` (lower case only, since CGI programs get the other from
    /// outside) for http, else `all_proxy`; `no_proxy` lists hosts, domains or `*`.
    ///
    /// - Throws: ``HTTPError`` with `invalidSettings`, which names the variable but not its contents.
    package static func settings(
        for url: BaseURL, environment: [String: String]
    ) throws(HTTPError) -> ProxySettings? {
        guard !url.isLoopback, !isExempt(url.host, environment["no_proxy"] ?? environment["NO_PROXY"] ?? "") else {
            return nil
        }
        let names =
            (url.scheme == .https ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        for name in names {
            guard let value = environment[name], !value.isEmpty else { continue }
            guard let settings = ProxySettings(parsing: value) else {
                throw HTTPError(
                    .invalidSettings, "the environment variable \(name) does not name a usable proxy",
                    hint: "such as http://proxy.example:3128; socks and https proxies are not supported")
            }
            return settings
        }
        return nil
    }

    /// The variables that matter.
    package static let variables = [
        "https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]

    private static func isExempt(_ host: String, _ list: String) -> Bool {
        list.split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
            var domain = entry.lowercased()
            if domain == "*" { return true }
            if domain.hasPrefix(".") { domain.removeFirst() }
            return host == domain || host.hasSuffix("." + domain)
        }
    }
}

extension ProxySettings {
    private init?(parsing text: String) {
        var rest = text[...]
        if let separator = rest.firstRange(of: "://") {
            guard rest[..<separator.lowerBound].lowercased() == "http" else { return nil }
            rest = rest[separator.upperBound...]
        }
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.flatMap({ PercentEncoding.decode($0) }), !name.isEmpty else { return nil }
            userName = name
            password = parts.count > 1 ? PercentEncoding.decode(parts[1]) : ""
            guard password != nil else { return nil }
            rest = rest[rest.index(after: at)...]
        }
        // The grammar of the rest is that of a URL; as https it is not limited to this machine.
        guard let url = try? BaseURL(parsing: "https://\(rest)"), url.path.isEmpty else { return nil }
        host = url.host
        port = url.port == 443 && !rest.hasSuffix(":443") ? 1080 : url.port
    }
}
