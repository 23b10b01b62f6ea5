import Glibc
import Synchronization

/// The UDP edge: one socket for IPv6 and IPv4, on the event loop of its owner.
final class UDPSocket: DatagramLink {
    private static let largestDatagram = 2048
    /// Datagrams that are taken in before anything else gets its turn.
    private static let mostAtOnce = 32

    private let descriptor: Int32
    /// True if the kernel has no IPv6 at all, so that IPv4 addresses are not mapped.
    private let isIPv4Only: Bool
    private let loop: SocketLoop
    private let receive: @Sendable ([UInt8], PeerAddress) -> Void
    private let isClosed = Atomic(false)
    /// How many datagrams are taken in the next time.
    private let expected = Atomic(1)
    /// The sockets of the multicast groups that were joined.
    private let groups = Mutex<[UDPAddress: UDPSocket]>([:])

    /// The port that the kernel gave us, or the one that was asked for.
    let port: UInt16

    /// - Parameter descriptor: of a socket that is bound; closed with the link.
    private init(
        _ descriptor: Int32, isIPv4Only: Bool, port: UInt16, on loop: SocketLoop,
        receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) throws(SystemRefusal) {
        self.descriptor = descriptor
        self.isIPv4Only = isIPv4Only
        self.loop = loop
        self.receive = receive
        self.port = port
        if let number = loop.watch(descriptor, { [weak self] in self?.takeIn() }) {
            Glibc.close(descriptor)
            throw SystemRefusal(number: number)
        }
    }

    /// - Parameters:
    ///   - port: 0 for any.
    ///   - receive: called on the event loop with every datagram.
    static func open(
        port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) throws(TransportError) -> UDPSocket {
        guard let loop = eventLoop as? SocketLoop else {
            throw TransportError(.socket, "this event loop serves no sockets")
        }
        do {
            let socket = try bound(UDPAddress.any(port: port), on: loop, receive: receive)
            // From now on the sockets of groups may have the same port; another socket like this one may not.
            if port == UDPAddress.defaultPort { UDPAddress.share(socket.descriptor) }
            return socket
        } catch  where [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.number) {
            // IPv6 is switched off on this host.
        } catch {
            throw refusal(error, port)
        }
        do {
            return try bound(UDPAddress.any(port: port, isIPv6: false), on: loop, receive: receive)
        } catch {
            throw refusal(error, port)
        }
    }

    private static func bound(
        _ address: UDPAddress, isShared: Bool = false, on loop: SocketLoop,
        receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) throws(SystemRefusal) -> UDPSocket {
        let (descriptor, port) = try address.bind(isShared: isShared)
        return try UDPSocket(descriptor, isIPv4Only: !address.isIPv6, port: port, on: loop, receive: receive)
    }

    /// Says why there is no socket, in the system's words.
    private static func refusal(_ refusal: SystemRefusal, _ port: UInt16) -> TransportError {
        let words = String(cString: strerror(refusal.number))
        switch refusal.number {
        case EADDRINUSE: return TransportError(.portInUse, "UDP port \(port) is in use by another program")
        case EMFILE, ENFILE, ENOMEM, ENOBUFS:
            return TransportError(.outOfResources, "cannot open a UDP socket: \(words)")
        default:
            let place = port == 0 ? "" : " on port \(port)"
            return TransportError(.socket, "cannot open a UDP socket\(place): \(words)")
        }
    }

    /// True if the socket can still be used.
    var isOpen: Bool { !isClosed.load(ordering: .relaxed) }

    /// Takes in what has come. Mostly that is one datagram, and a look for another would be in vain; as long as there are
    /// more, twice as many are taken in each time.
    private func takeIn() {
        withUnsafeTemporaryAllocation(byteCount: Self.largestDatagram, alignment: 8) { buffer in
            let most = expected.load(ordering: .relaxed)
            expected.store(min(2 * most, Self.mostAtOnce), ordering: .relaxed)
            for _ in 0..<most {
                guard isOpen, let (count, sender) = UDPAddress.receive(buffer, from: descriptor) else {
                    return expected.store(1, ordering: .relaxed)
                }
                // Errors of single destinations have no sender.
                if let sender { receive(Array(buffer[..<count]), .udp(sender)) }
            }
        }
    }

    /// Sends a datagram. To be called on the event loop.
    ///
    /// - Returns: the kernel's refusal, if any.
    func send(_ datagram: [UInt8], to address: PeerAddress) -> Int32? {
        guard case .udp(let address) = address, !isIPv4Only || !address.isIPv6 else { return EAFNOSUPPORT }
        guard isOpen else { return EBADF }
        return address.transmit(datagram, from: descriptor, isIPv4Only: isIPv4Only)
    }

    // MARK: Groups

    func multicast(_ message: [UInt8], to group: PeerAddress) -> [MulticastAttempt] {
        guard case .udp(let address) = group, !isIPv4Only else { return [] }
        return MulticastInterface.usable().map { interface in
            let refusal =
                isOpen
                ? interface.choose(for: descriptor)
                    ?? address.transmit(message, from: descriptor, isIPv4Only: isIPv4Only) : EBADF
            return MulticastAttempt(interface: interface.name, refusal: refusal)
        }
    }

    /// Each group has a socket that is bound to its address: it gets nothing else, and others may have the same.
    func join(_ groups: Set<PeerAddress>) async throws(TransportError) {
        let wanted = Set(groups.compactMap(\.udp))
        let left = self.groups.withLock { joined in
            let left = joined.filter { !wanted.contains($0.key) }
            for address in left.keys { joined[address] = nil }
            return Array(left.values)
        }
        for socket in left { await socket.close() }
        var failure: TransportError?
        for address in wanted.subtracting(self.groups.withLock { $0.keys }) {
            do throws(TransportError) {
                let socket = try await joined(address)
                self.groups.withLock { $0[address] = socket }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func joined(_ address: UDPAddress) async throws(TransportError) -> UDPSocket {
        guard !isIPv4Only else { throw TransportError(.noInterface, "groups need IPv6, which this host lacks") }
        let socket: UDPSocket
        do {
            socket = try Self.bound(address, isShared: true, on: loop, receive: receive)
        } catch {
            throw Self.refusal(error, address.port)
        }
        // Every one of them, not only the first.
        let joined = MulticastInterface.usable().filter { $0.join(address, with: socket.descriptor) == nil }
        guard joined.isEmpty else { return socket }
        await socket.close()
        throw TransportError(.noInterface, "no network interface of this host can join \(address.host)")
    }

    func close() async {
        let joined = groups.withLock { groups in
            defer { groups = [:] }
            return Array(groups.values)
        }
        for socket in joined { await socket.close() }
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        // There, nothing else has the descriptor in hand.
        await withCheckedContinuation { continuation in
            loop.execute { [loop, descriptor] in
                loop.unwatch(closing: descriptor)
                continuation.resume()
            }
        }
    }
}
