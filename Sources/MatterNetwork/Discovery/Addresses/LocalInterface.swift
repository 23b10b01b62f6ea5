import Glibc

/// A network interface of this host, with the networks it is attached to.
struct LocalInterface: Hashable, Sendable {
    /// A network: the addresses that share their first `length` bits with `octets`.
    struct Prefix: Hashable, Sendable {
        let octets: [UInt8]
        let length: Int

        func contains(_ address: [UInt8]) -> Bool {
            guard address.count == octets.count, (0...octets.count * 8).contains(length) else { return false }
            let whole = length / 8
            guard address.prefix(whole).elementsEqual(octets.prefix(whole)) else { return false }
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (length % 8))
            return mask == 0 || (address[whole] ^ octets[whole]) & mask == 0
        }
    }

    let index: UInt32
    let name: String
    var isLoopback: Bool = false
    let prefixes: [Prefix]

    /// The interfaces that are up, in the order of the kernel; none where it does not tell.
    static func current() -> [LocalInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var names: [String] = []
        var prefixes: [String: [Prefix]] = [:]
        var loopback: Set<String> = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            let flags = Int(entry.ifa_flags)
            guard flags & Int(IFF_UP) != 0, let cName = entry.ifa_name else { continue }
            let name = String(cString: cName)
            if !names.contains(name) { names.append(name) }
            if flags & Int(IFF_LOOPBACK) != 0 { loopback.insert(name) }
            if let address = octets(entry.ifa_addr), let mask = octets(entry.ifa_netmask) {
                let length = mask.reduce(0) { $0 + $1.nonzeroBitCount }
                prefixes[name, default: []].append(Prefix(octets: address, length: length))
            }
        }
        return names.map { name in
            LocalInterface(
                index: if_nametoindex(name), name: name, isLoopback: loopback.contains(name),
                prefixes: prefixes[name] ?? [])
        }
    }

    /// The address in a socket address; `nil` for other families than IPv4 and IPv6.
    private static func octets(_ address: UnsafeMutablePointer<sockaddr>?) -> [UInt8]? {
        guard let address else { return nil }
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6: return withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
    }
}
