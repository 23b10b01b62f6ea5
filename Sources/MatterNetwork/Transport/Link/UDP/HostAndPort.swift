/// `HOST`, `HOST:PORT`, `[HOST]:PORT` or a bare IPv6 address, taken apart.
struct HostAndPort: Equatable, Sendable {
    /// A name or a numeric address, perhaps with `%` and its interface.
    var host: String
    var port: UInt16

    /// - Throws: `.invalidAddress`.
    init(_ text: String, defaultPort: UInt16) throws(TransportError) {
        var host = Substring(text)
        var port = defaultPort
        func parsePort(_ digits: Substring) throws(TransportError) -> UInt16 {
            guard digits.utf8.first.map({ (0x30...0x39).contains($0) }) ?? false, let number = UInt16(digits),
                number > 0
            else { throw TransportError(.invalidAddress, "'\(digits)' is not a UDP port in '\(text)'") }
            return number
        }
        if host.first == "[" {
            guard let close = host.firstIndex(of: "]") else {
                throw TransportError(.invalidAddress, "'\(text)' lacks the closing bracket")
            }
            let rest = host[host.index(after: close)...]
            host = host[host.index(after: host.startIndex)..<close]
            if !rest.isEmpty {
                guard rest.first == ":" else {
                    throw TransportError(.invalidAddress, "'\(text)' has something other than a port after the bracket")
                }
                port = try parsePort(rest.dropFirst())
            }
        } else if host.count(where: { $0 == ":" }) == 1, let colon = host.firstIndex(of: ":") {
            port = try parsePort(host[host.index(after: colon)...])
            host = host[..<colon]
        }
        guard !host.isEmpty else { throw TransportError(.invalidAddress, "'\(text)' names no host") }
        self.host = String(host)
        self.port = port
    }
}
