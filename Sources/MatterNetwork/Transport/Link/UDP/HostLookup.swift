import Dispatch
import Glibc
import Synchronization

extension PeerAddress {
    /// The addresses of `HOST`, `HOST:PORT` or `[IPv6%interface]:PORT`, in the order in which the system's resolver
    /// prefers them (RFC 6724). A numeric host needs no look-up.
    ///
    /// - Throws: `.invalidAddress`; `.unknownHost`, also if the resolver has no answer by the deadline.
    public static func lookup(
        _ text: String, defaultPort: UInt16 = UDPAddress.defaultPort, deadline: Instant
    ) async throws -> [PeerAddress] {
        let location = try HostAndPort(text, defaultPort: defaultPort)
        if let address = try UDPAddress.numeric(location) { return [.udp(address)] }
        // Only letters, digits, dots, hyphens and underscores make a host name (RFC 1123), and its interface may follow.
        let name = location.host.split(separator: "%", maxSplits: 1).first ?? ""
        // A name that ends in a number would be an address (the resolver takes 192.0.2 for 192.0.0.2).
        let isNumber = name.split(separator: ".").last?.utf8.allSatisfy { (0x30...0x39).contains($0) } ?? true
        guard name.utf8.count <= 253, name.utf8.allSatisfy(isNameOctet), !isNumber else {
            throw TransportError(
                .invalidAddress,
                "'\(text)' is neither a host name nor an address such as 192.0.2.7:5540 or [fe80::1%eth0]:5540")
        }
        return try await HostLookup(location).addresses(deadline: deadline).map { .udp($0) }
    }

    private static func isNameOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}

/// One question to the system's resolver. It blocks a thread of its own, which may outlive the deadline.
private final class HostLookup: Sendable {
    private typealias Answer = Result<[UDPAddress], TransportError>

    private let location: HostAndPort
    private let waiting = Mutex<CheckedContinuation<Answer, Never>?>(nil)

    init(_ location: HostAndPort) {
        self.location = location
    }

    /// - Throws: ``TransportError``, `CancellationError`.
    func addresses(deadline: Instant) async throws -> [UDPAddress] {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0 = continuation }
                guard !Task.isCancelled else { return end(unknown("the look-up was interrupted")) }
                DispatchQueue.global().async { self.end(self.ask()) }
                let limit = max(.zero, deadline - .now)
                DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) {
                    self.end(self.unknown("the name service did not answer for '\(self.location.host)' in time"))
                }
            }
        } onCancel: {
            end(unknown("the look-up was interrupted"))
        }
        try Task.checkCancellation()
        return try answer.get()
    }

    /// The first answer counts; others come too late.
    private func end(_ answer: Answer) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: answer)
    }

    private func unknown(_ reason: String) -> Answer { .failure(TransportError(.unknownHost, reason)) }

    private func ask() -> Answer {
        var wanted = addrinfo()
        wanted.ai_family = AF_UNSPEC
        wanted.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(location.host, String(location.port), &wanted, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else {
            return unknown("the host '\(location.host)' cannot be found: \(String(cString: gai_strerror(status)))")
        }
        var addresses: [UDPAddress] = []
        var entry = list
        while let info = entry?.pointee {
            if let address = UDPAddress(info), !addresses.contains(address) { addresses.append(address) }
            entry = info.ai_next
        }
        guard !addresses.isEmpty else { return unknown("the host '\(location.host)' has no usable address") }
        return .success(addresses)
    }
}

extension UDPAddress {
    fileprivate init?(_ info: addrinfo) {
        guard let address = info.ai_addr else { return nil }
        let raw = UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))
        switch info.ai_family {
        case AF_INET where raw.count >= MemoryLayout<sockaddr_in>.size:
            self.init(raw.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6 where raw.count >= MemoryLayout<sockaddr_in6>.size:
            self.init(raw.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
        // An address that is valid on one link only is of no use without that link.
        if isLinkLocal && scope == 0 { return nil }
    }
}
