import Glibc

/// A UDP address: IPv4 or IPv6, with the interface of a link-local one.
public struct UDPAddress: Hashable, Sendable {
    /// 4 bytes (IPv4) or 16 (IPv6), in network order.
    package let octets: [UInt8]
    /// The interface index of a link-local IPv6 address; 0 for all others.
    package let scope: UInt32
    package let port: UInt16

    /// The UDP port of Matter nodes where nothing else is known.
    public static let defaultPort: UInt16 = 5540

    /// - Returns: `nil` unless there are 4 or 16 bytes.
    init?(octets: [UInt8], scope: UInt32 = 0, port: UInt16) {
        guard octets.count == 4 || octets.count == 16 else { return nil }
        // A mapped address is an IPv4 address.
        if octets.count == 16, octets[..<12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
            self.octets = Array(octets[12...])
        } else {
            self.octets = octets
        }
        self.scope = Self.isLinkLocal(self.octets) ? scope : 0
        self.port = port
    }

    /// All addresses of this host.
    static func any(port: UInt16, isIPv6: Bool = true) -> UDPAddress {
        UDPAddress(zeros: isIPv6 ? 16 : 4, port: port)
    }

    /// No address of the same kind.
    package func unspecified(port: UInt16) -> UDPAddress { UDPAddress(zeros: octets.count, port: port) }

    private init(zeros count: Int, port: UInt16) {
        octets = [UInt8](repeating: 0, count: count)
        scope = 0
        self.port = port
    }

    /// The multicast address of a group, with the port of every Matter node.
    init(group: UInt16, ofFabric fabricID: UInt64) {
        func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        octets = [0xFF, 0x35, 0x00, 0x40, 0xFD] + bytes(fabricID) + [0] + bytes(group)
        scope = 0
        port = Self.defaultPort
    }

    /// Whether it is an address of IPv6.
    public var isIPv6: Bool { octets.count == 16 }
    /// Whether it is valid on one link only.
    public var isLinkLocal: Bool { Self.isLinkLocal(octets) }

    /// The 16-byte form; IPv4 addresses are mapped (RFC 4291 section 2.5.5.2).
    var mappedOctets: [UInt8] {
        isIPv6 ? octets : [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] + octets
    }

    private static func isLinkLocal(_ octets: [UInt8]) -> Bool {
        octets.count == 16 && octets[0] == 0xFE && octets[1] & 0xC0 == 0x80
    }

    /// Parses `HOST`, `HOST:PORT`, `[IPv6%interface]:PORT` with a numeric host.
    package init(parsing text: String, defaultPort: UInt16 = UDPAddress.defaultPort) throws(TransportError) {
        let location = try HostAndPort(text, defaultPort: defaultPort)
        guard let address = try Self.numeric(location) else {
            throw TransportError(
                .invalidAddress,
                "'\(text)' is not a numeric address; write 192.0.2.7:5540 or [fe80::1%eth0]:5540")
        }
        self = address
    }

    /// - Returns: `nil` if the host is a name.
    static func numeric(_ location: HostAndPort) throws(TransportError) -> UDPAddress? {
        let parts = location.host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, let octets = numericHost(String(host)) else { return nil }
        var scope: UInt32 = 0
        if parts.count == 2 {
            scope = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
            guard scope != 0 else {
                throw TransportError(.invalidAddress, "there is no network interface '\(parts[1])' on this machine")
            }
        }
        guard let address = UDPAddress(octets: octets, scope: scope, port: location.port) else { return nil }
        guard !address.isLinkLocal || address.scope != 0 else {
            throw TransportError(
                .invalidAddress, "'\(location.host)' is link-local and needs its interface, as in [fe80::1%eth0]:5540")
        }
        return address
    }

    private static func numericHost(_ host: String) -> [UInt8]? {
        var v6 = in6_addr()
        if inet_pton(AF_INET6, host, &v6) == 1 { return withUnsafeBytes(of: &v6) { Array($0) } }
        var v4 = in_addr()
        if inet_pton(AF_INET, host, &v4) == 1 { return withUnsafeBytes(of: &v4) { Array($0) } }
        return nil
    }
}

extension UDPAddress: CustomStringConvertible {
    /// `192.0.2.7:5540` or `[fe80::1%eth0]:5540`.
    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The address without its port, with the interface name of a link-local one.
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let made = octets.withUnsafeBytes {
            inet_ntop(isIPv6 ? AF_INET6 : AF_INET, $0.baseAddress, &text, socklen_t(text.count)) != nil
        }
        guard made else { return "?" }
        let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return scope == 0 ? host : "\(host)%\(interfaceName ?? String(scope))"
    }

    /// The name of the interface that a link-local address belongs to.
    public var interfaceName: String? {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard scope != 0, if_indextoname(scope, &name) != nil else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
