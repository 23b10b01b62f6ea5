import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// The UDP edge: one socket for IPv6 and IPv4, on the event loop of its owner.
final class UDPSocket: DatagramLink {
    private let channel: any Channel
    /// True if the kernel has no IPv6 at all, so that IPv4 addresses are not mapped.
    private let isIPv4Only: Bool
    private let eventLoop: any EventLoop
    private let receive: @Sendable ([UInt8], PeerAddress) -> Void
    /// The sockets of the multicast groups that were joined.
    private let groups = Mutex<[UDPAddress: any Channel]>([:])

    /// The port that the kernel gave us, or the one that was asked for.
    let port: UInt16

    private init(
        channel: any Channel, isIPv4Only: Bool, eventLoop: any EventLoop,
        receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) {
        self.channel = channel
        self.isIPv4Only = isIPv4Only
        self.eventLoop = eventLoop
        self.receive = receive
        port = UInt16(channel.localAddress?.port ?? 0)
    }

    /// - Parameters:
    ///   - port: 0 for any.
    ///   - receive: called on the event loop with every datagram.
    static func open(
        port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) async throws(TransportError) -> UDPSocket {
        func bind(_ host: String, isIPv4Only: Bool) async throws -> UDPSocket {
            let channel = try await bootstrap(eventLoop, receive)
                // Not by host name: the name service knows no "::" on a host that has IPv4 addresses only.
                .bind(to: SocketAddress(ipAddress: host, port: Int(port))).get()
            return UDPSocket(channel: channel, isIPv4Only: isIPv4Only, eventLoop: eventLoop, receive: receive)
        }
        do {
            let socket = try await bind("::", isIPv4Only: false)
            // From now on the sockets of groups may have the same port; another socket like this one may not.
            if port == UDPAddress.defaultPort {
                try? await socket.channel.setOption(.socketOption(.so_reuseaddr), value: 1).get()
            }
            return socket
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL {
            // IPv6 is switched off on this host.
        } catch {
            throw refusal(error, port)
        }
        do {
            return try await bind("0.0.0.0", isIPv4Only: true)
        } catch {
            throw refusal(error, port)
        }
    }

    private static func bootstrap(
        _ eventLoop: any EventLoop, _ receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) -> DatagramBootstrap {
        DatagramBootstrap(group: eventLoop)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramReceiver(receive: receive))
                }
            }
    }

    /// Says why there is no socket, in the system's words.
    private static func refusal(_ error: any Error, _ port: UInt16) -> TransportError {
        guard let error = error as? IOError else {
            return TransportError(.socket, "cannot open a UDP socket: \(error)")
        }
        let words = String(cString: strerror(error.errnoCode))
        switch error.errnoCode {
        case EADDRINUSE: return TransportError(.portInUse, "UDP port \(port) is in use by another program")
        case EMFILE, ENFILE, ENOMEM, ENOBUFS:
            return TransportError(.outOfResources, "cannot open a UDP socket: \(words)")
        default:
            let place = port == 0 ? "" : " on port \(port)"
            return TransportError(.socket, "cannot open a UDP socket\(place): \(words)")
        }
    }

    /// True if the socket can still be used.
    var isOpen: Bool { channel.isActive }

    /// Sends a datagram. To be called on the event loop.
    ///
    /// NIO would close the whole channel when the kernel refuses a single destination, as it does for an address that
    /// no route leads to: so the datagram goes past its queue.
    ///
    /// - Returns: the kernel's refusal, if any.
    func send(_ datagram: [UInt8], to address: PeerAddress) -> Int32? {
        guard case .udp(let address) = address, !isIPv4Only || !address.isIPv6 else { return EAFNOSUPPORT }
        return Self.withHandle(of: channel) { address.transmit(datagram, from: $0, isIPv4Only: isIPv4Only) }
    }

    /// - Returns: what the body returns: the number of an error.
    private static func withHandle(of channel: any Channel, _ body: (Int32) -> Int32?) -> Int32? {
        do {
            return try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self, body) ?? EBADF
        } catch {
            return EBADF
        }
    }

    // MARK: Groups

    func multicast(_ message: [UInt8], to group: PeerAddress) -> [MulticastAttempt] {
        guard case .udp(let address) = group, !isIPv4Only else { return [] }
        return MulticastInterface.usable().map { interface in
            let refusal = Self.withHandle(of: channel) { descriptor in
                interface.choose(for: descriptor)
                    ?? address.transmit(message, from: descriptor, isIPv4Only: isIPv4Only)
            }
            return MulticastAttempt(interface: interface.name, refusal: refusal)
        }
    }

    /// Each group has a socket that is bound to its address: it gets nothing else, and others may have the same.
    func join(_ groups: Set<PeerAddress>) async throws(TransportError) {
        let wanted = Set(groups.compactMap(\.udp))
        let left = self.groups.withLock { joined in
            let left = joined.filter { !wanted.contains($0.key) }
            for address in left.keys { joined[address] = nil }
            return left.values
        }
        for channel in left { try? await channel.close().get() }
        var failure: TransportError?
        for address in wanted.subtracting(self.groups.withLock { $0.keys }) {
            do throws(TransportError) {
                let channel = try await joined(address)
                self.groups.withLock { $0[address] = channel }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func joined(_ address: UDPAddress) async throws(TransportError) -> any Channel {
        guard !isIPv4Only else { throw TransportError(.noInterface, "groups need IPv6, which this host lacks") }
        let channel: any Channel
        do {
            channel = try await Self.bootstrap(eventLoop, receive)
                .channelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(to: SocketAddress(ipAddress: address.host, port: Int(address.port))).get()
        } catch {
            throw Self.refusal(error, address.port)
        }
        do {
            let hasJoined = try await eventLoop.submit {
                // Every one of them, not only the first.
                !MulticastInterface.usable().filter { interface in
                    Self.withHandle(of: channel) { interface.join(address, with: $0) } == nil
                }.isEmpty
            }.get()
            if hasJoined { return channel }
        } catch {
            // As if no interface had joined.
        }
        try? await channel.close().get()
        throw TransportError(.noInterface, "no network interface of this host can join \(address.host)")
    }

    func close() async {
        for channel in groups.withLock({ Array($0.values) }) { try? await channel.close().get() }
        // A socket that is closed already is what was wanted.
        try? await channel.close().get()
    }
}

/// Turns NIO's datagrams into ours.
private final class DatagramReceiver: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let receive: @Sendable ([UInt8], PeerAddress) -> Void

    init(receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void) {
        self.receive = receive
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let address = UDPAddress(envelope.remoteAddress) else { return }
        receive(Array(envelope.data.readableBytesView), .udp(address))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Refusals of single datagrams arrive with their write; the socket itself stays open.
    }
}

extension UDPAddress {
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let v4): self.init(v4.address)
        case .v6(let v6): self.init(v6.address)
        case .unixDomainSocket: return nil
        }
    }
}
