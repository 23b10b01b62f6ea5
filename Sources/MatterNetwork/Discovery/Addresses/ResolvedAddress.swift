import Glibc

/// Where a service can be reached: an address that mDNS gave, with its interface if it is link-local.
public struct ResolvedAddress: Hashable, Sendable {
    /// The version of IP.
    public enum Family: Hashable, Sendable, CaseIterable {
        /// A version of IP.
        case ipv6
        /// A version of IP.
        case ipv4
    }

    /// The interface that a link-local address belongs to.
    public struct Scope: Hashable, Sendable {
        /// The interface index: the scope id of the socket address.
        package let index: UInt32
        /// Its name, e.g. `eth0`.
        package let name: String

        // memberwise: package
    }

    /// 4 bytes (IPv4) or 16 (IPv6), in network order.
    package let octets: [UInt8]
    /// `nil` for all but link-local IPv6 addresses.
    public let scope: Scope?
    package let port: UInt16

    /// - Returns: `nil` unless there are 4 or 16 bytes, and a scope exactly where the address is link-local IPv6.
    package init?(octets: [UInt8], scope: Scope? = nil, port: UInt16) {
        guard octets.count == 4 || octets.count == 16, (scope != nil) == Self.needsScope(octets) else { return nil }
        self.octets = octets
        self.scope = scope
        self.port = port
    }

    /// The version of IP.
    public var family: Family { octets.count == 16 ? .ipv6 : .ipv4 }

    /// True if these are the bytes of an IPv6 address in fe80::/10.
    static func needsScope(_ octets: [UInt8]) -> Bool {
        octets.count == 16 && octets.starts(with: [0xFE]) && octets[1] & 0xC0 == 0x80
    }
}

extension ResolvedAddress: CustomStringConvertible {
    /// `192.0.2.7:5540` or `[fe80::1%eth0]:5540`.
    public var description: String { family == .ipv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The address without its port, with the interface of a link-local one.
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let written = octets.withUnsafeBytes {
            inet_ntop(family == .ipv6 ? AF_INET6 : AF_INET, $0.baseAddress, &text, socklen_t(text.count)) != nil
        }
        let bare = written ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : "?"
        return scope.map { "\(bare)%\($0.name)" } ?? bare
    }
}
