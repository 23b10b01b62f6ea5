import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on this machine that speaks TLS and answers each request with 200.
final class TLSServer: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel
    private let received: Received

    /// What has arrived inside of TLS.
    private final class Received: Sendable {
        private let text = Mutex("")
        var all: String { text.withLock { $0 } }
        func append(_ more: String) { text.withLock { $0 += more } }
    }

    var port: UInt16 { UInt16(channel.localAddress?.port ?? 0) }
    var requests: String { received.all }

    init(certificate: String, newest: TLSVersion? = nil) async throws {
        let key = try NIOSSLPrivateKey(bytes: Array(TLSFixture.serverKey.utf8), format: .pem)
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = newest
        let context = try NIOSSLContext(configuration: configuration)
        let received = Received()
        self.received = received
        channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: context), Answerer(received))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func stop() async {
        try? await channel.close()
        try? await group.shutdownGracefully()
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let received: Received
        private var head = ""

        init(_ received: Received) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = String(buffer: unwrapInboundIn(data))
            received.append(text)
            head += text
            guard head.contains("\r\n\r\n") else { return }
            head = ""
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
