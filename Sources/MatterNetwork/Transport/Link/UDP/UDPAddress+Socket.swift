import Glibc

/// An `errno` that is not 0.
struct SystemRefusal: Error {
    let number: Int32
}

/// The forms that the kernel wants.
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

    /// Takes in a datagram.
    ///
    /// - Returns: how many bytes came, and from where; `nil` if there is nothing more.
    static func receive(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> (Int, UDPAddress?)? {
        var storage = sockaddr_storage()
        return withUnsafeMutableBytes(of: &storage) { raw in
            var length = socklen_t(raw.count)
            let count = recvfrom(
                descriptor, buffer.baseAddress, buffer.count, 0,
                raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
            guard count >= 0 else { return [EAGAIN, EBADF].contains(errno) ? nil : (0, nil) }
            switch Int32(raw.load(as: sockaddr.self).sa_family) {
            case AF_INET6: return (count, UDPAddress(raw.load(as: sockaddr_in6.self)))
            case AF_INET: return (count, UDPAddress(raw.load(as: sockaddr_in.self)))
            default: return (0, nil)
            }
        }
    }

    /// A socket at this address.
    ///
    /// - Parameter isShared: whether others may have the same.
    /// - Returns: its descriptor, and the port.
    func bind(isShared: Bool) throws(SystemRefusal) -> (descriptor: Int32, port: UInt16) {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { throw SystemRefusal(number: errno) }
        if isShared { Self.share(descriptor) }
        func bind<Address>(_ address: Address) -> Int32 {
            withUnsafeBytes(of: address) { bytes in
                Glibc.bind(
                    descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
            }
        }
        guard (isIPv6 ? bind(inet6) : bind(inet)) == 0 else {
            let number = errno
            close(descriptor)
            throw SystemRefusal(number: number)
        }
        guard port == 0 else { return (descriptor, port) }
        // The port is at one place in both families.
        var given = sockaddr_in6()
        let found = withUnsafeMutableBytes(of: &given) { bytes in
            var length = socklen_t(bytes.count)
            return getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length) == 0
        }
        return (descriptor, found ? UInt16(bigEndian: given.sin6_port) : 0)
    }

    /// Lets other sockets have the address of this one.
    static func share(_ descriptor: Int32) {
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
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
