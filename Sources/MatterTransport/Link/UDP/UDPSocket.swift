import Glibc
import NIOCore
import NIOPosix

/// The UDP edge: one socket for IPv6 and IPv4, on the event loop of its owner.
final class UDPSocket: DatagramLink {
    private let channel: any Channel
    /// True if the kernel has no IPv6 at all, so that IPv4 addresses are not mapped.
    private let isIPv4Only: Bool

    /// The port that the kernel gave us, or the one that was asked for.
    let port: UInt16

    private init(channel: any Channel, isIPv4Only: Bool) {
        self.channel = channel
        self.isIPv4Only = isIPv4Only
        port = UInt16(channel.localAddress?.port ?? 0)
    }

    /// - Parameters:
    ///   - port: 0 for any.
    ///   - receive: called on the event loop with every datagram.
    static func open(
        port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) async throws(TransportError) -> UDPSocket {
        func bind(_ host: String) async throws -> any Channel {
            try await DatagramBootstrap(group: eventLoop)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(DatagramReceiver(receive: receive))
                    }
                }
                // Not by host name: the name service knows no "::" on a host that has IPv4 addresses only.
                .bind(to: SocketAddress(ipAddress: host, port: Int(port))).get()
        }
        do {
            return UDPSocket(channel: try await bind("::"), isIPv4Only: false)
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL {
            // IPv6 is switched off on this host.
        } catch {
            throw refusal(error, port)
        }
        do {
            return UDPSocket(channel: try await bind("0.0.0.0"), isIPv4Only: true)
        } catch {
            throw refusal(error, port)
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
        do {
            return try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
                address.transmit(datagram, from: $0, isIPv4Only: isIPv4Only)
            } ?? EBADF
        } catch {
            return EBADF
        }
    }

    func close() async {
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
