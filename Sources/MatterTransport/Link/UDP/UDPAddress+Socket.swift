import Glibc

/// The forms that the kernel wants. This file does not import NIO, whose C shims would claim the structures' members.
extension UDPAddress {
    init?(_ address: sockaddr_in) {
        var host = address.sin_addr
        self.init(octets: withUnsafeBytes(of: &host) { Array($0) }, port: UInt16(bigEndian: address.sin_port))
    }

    init?(_ address: sockaddr_in6) {
        var host = address.sin6_addr
        self.init(
            octets: withUnsafeBytes(of: &host) { Array($0) }, scope: address.sin6_scope_id,
            port: UInt16(bigEndian: address.sin6_port))
    }

    /// Sends a datagram from a non-blocking UDP socket of IPv6, or of IPv4 if `isIPv4Only`.
    ///
    /// - Returns: the kernel's refusal; `nil` also where the datagram was merely lost for want of buffers.
    func transmit(_ datagram: [UInt8], from descriptor: Int32, isIPv4Only: Bool) -> Int32? {
        func send<Address>(_ address: Address) -> Int {
            withUnsafeBytes(of: address) { address in
                sendto(
                    descriptor, datagram, datagram.count, 0, address.assumingMemoryBound(to: sockaddr.self).baseAddress,
                    socklen_t(address.count))
            }
        }
        guard (isIPv4Only ? send(inet) : send(inet6)) < 0 else { return nil }
        let refusal = errno
        return [EAGAIN, EINTR, ENOBUFS, ENOMEM].contains(refusal) ? nil : refusal
    }

    /// For an IPv4 socket; meaningful for IPv4 addresses only.
    var inet: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: octets.prefix($0.count)) }
        return address
    }

    /// For an IPv6 socket; IPv4 addresses are mapped.
    var inet6: sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_scope_id = scope
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: mappedOctets) }
        return address
    }
}
