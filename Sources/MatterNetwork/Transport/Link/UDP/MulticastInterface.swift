import Glibc

/// A network interface that can carry messages to groups.
struct MulticastInterface {
    /// How many routers a message to a group may pass (Matter core specification 2.5.6.2: the scope is the site).
    private static let hops: Int32 = 64

    let index: UInt32
    let name: String

    /// The interfaces that are up, have an IPv6 address and know multicast, in the order of the kernel.
    static func usable() -> [MulticastInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [MulticastInterface] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            let needed = Int(IFF_UP) | Int(IFF_MULTICAST)
            guard Int(entry.ifa_flags) & (needed | Int(IFF_LOOPBACK)) == needed, let cName = entry.ifa_name,
                entry.ifa_addr?.pointee.sa_family == sa_family_t(AF_INET6)
            else { continue }
            let interface = MulticastInterface(index: if_nametoindex(cName), name: String(cString: cName))
            if interface.index != 0, !found.contains(where: { $0.index == interface.index }) { found.append(interface) }
        }
        return found
    }

    /// Makes a socket send to groups through this interface.
    ///
    /// - Returns: the number of the error, if any.
    func choose(for descriptor: Int32) -> Int32? {
        Self.set(IPV6_MULTICAST_HOPS, Self.hops, of: descriptor)
            ?? Self.set(IPV6_MULTICAST_IF, Int32(bitPattern: index), of: descriptor)
    }

    /// Makes a socket a member of a group on this interface.
    ///
    /// - Returns: the number of the error, if any.
    func join(_ group: UDPAddress, with descriptor: Int32) -> Int32? {
        var request = ipv6_mreq()
        request.ipv6mr_multiaddr = group.inet6.sin6_addr
        request.ipv6mr_interface = index
        return Self.set(IPV6_JOIN_GROUP, request, of: descriptor)
    }

    private static func set<Value>(_ option: Int32, _ value: Value, of descriptor: Int32) -> Int32? {
        let result = withUnsafeBytes(of: value) {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), option, $0.baseAddress, socklen_t($0.count))
        }
        return result == 0 ? nil : errno
    }
}
