/// Which Host and Origin a request may name. A foreign Host is that of a page elsewhere whose name leads to this machine (DNS
/// rebinding); a foreign Origin is a page elsewhere that asks this server directly.
struct HostRule: Sendable {
    /// Names of this machine, in small letters.
    let hosts: Set<String>
    let origins: Set<String>
    /// True if pages of this server may connect.
    let servesPage: Bool

    init(_ settings: ListenerSettings) {
        hosts = Set(settings.hosts.map { Self.plain($0[...]) })
        origins = Set(settings.origins.map { $0.lowercased() })
        servesPage = settings.servesPage
    }

    /// True if a Host may be asked for.
    ///
    /// - Parameter local: our address of the connection.
    func allows(host: String, local: String?) -> Bool {
        guard let name = Self.name(of: host) else { return false }
        if name == "localhost" || hosts.contains(name) { return true }
        guard let address = IPAddress(name) else { return false }
        return address.isLoopback || address == local.flatMap { IPAddress($0) }
    }

    /// True if a page of an Origin may ask.
    func allows(origin: String, host: String?) -> Bool {
        let origin = origin.lowercased()
        if origins.contains(origin) { return true }
        guard servesPage, let host = host?.lowercased(), !host.isEmpty else { return false }
        return origin == "http://" + host || origin == "https://" + host
    }

    /// The name in `name:port`, `1.2.3.4:port` or `[::1]:port`; `nil` if it is none of them.
    static func name(of host: String) -> String? {
        var rest = host[...]
        let name: Substring
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            name = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            rest = rest.dropFirst()
        } else {
            let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            name = parts.first ?? ""
            rest = parts.count > 1 ? parts[1] : ""
        }
        guard !name.isEmpty, rest.utf8.count <= 5, rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return plain(name)
    }

    private static func plain(_ name: Substring) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
