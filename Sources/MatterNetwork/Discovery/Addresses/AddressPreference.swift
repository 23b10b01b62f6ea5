/// Which of a peer's addresses to try first.
enum AddressPreference {
    /// How promising an address is; higher is better. The order is that of the official SDK.
    enum Score: Int, Comparable, Sendable {
        /// Nothing that is expected here, e.g. a loopback address.
        case other = 1
        case ipv4 = 2
        /// A unique local address of a network that this host is not attached to.
        case uniqueLocal = 3
        /// A global one of such a network.
        case global = 4
        case uniqueLocalOnLink = 5
        case globalOnLink = 6
        case linkLocal = 7

        static func < (left: Score, right: Score) -> Bool { left.rawValue < right.rawValue }
    }

    /// Scores an address.
    ///
    /// - Parameter interfaces: those of this host.
    static func score(_ address: ResolvedAddress, interfaces: [LocalInterface]) -> Score {
        guard address.family == .ipv6, let first = address.octets.first else {
            return isLoopback(address.octets) ? .other : .ipv4
        }
        if address.scope != nil { return .linkLocal }
        let isOnLink = interfaces.contains { $0.prefixes.contains { $0.contains(address.octets) } }
        switch first {
        case 0x20...0x3F: return isOnLink ? .globalOnLink : .global
        case 0xFC...0xFD: return isOnLink ? .uniqueLocalOnLink : .uniqueLocal
        default: return .other
        }
    }

    /// The addresses, best first; equally good ones stay in their order.
    static func sorted(_ addresses: [ResolvedAddress], interfaces: [LocalInterface]) -> [ResolvedAddress] {
        addresses.enumerated()
            .map { (score: score($1, interfaces: interfaces), order: $0, address: $1) }
            .sorted { ($0.score, $1.order) > ($1.score, $0.order) }
            .map(\.address)
    }

    /// The address that a record names, if a datagram can be sent there.
    ///
    /// - Parameters:
    ///   - octets: the data of an A or AAAA record.
    ///   - interface: the index of the interface the answer came from.
    static func usable(
        _ octets: [UInt8], interface: Int32, port: UInt16, interfaces: [LocalInterface]
    ) -> ResolvedAddress? {
        guard port != 0, isUnicast(octets) else { return nil }
        let origin = interfaces.first { $0.index != 0 && Int64($0.index) == Int64(interface) }
        // A peer elsewhere that claims a loopback address would send us to ourselves.
        if isLoopback(octets), origin?.isLoopback != true { return nil }
        guard ResolvedAddress.needsScope(octets) else { return ResolvedAddress(octets: octets, port: port) }
        guard let origin else { return nil }
        return ResolvedAddress(
            octets: octets, scope: ResolvedAddress.Scope(index: origin.index, name: origin.name), port: port)
    }

    private static func isUnicast(_ octets: [UInt8]) -> Bool {
        guard let first = octets.first, octets.contains(where: { $0 != 0 }) else { return false }
        switch octets.count {
        case 4: return first != 0 && first < 224
        // IPv4-mapped addresses are no business of an AAAA record.
        case 16: return first != 0xFF && !octets.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        default: return false
        }
    }

    private static func isLoopback(_ octets: [UInt8]) -> Bool {
        octets.count == 4 ? octets.first == 127 : octets.dropLast().allSatisfy { $0 == 0 } && octets.last == 1
    }
}
