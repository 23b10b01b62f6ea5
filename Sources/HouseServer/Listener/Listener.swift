import Glibc
import Logging
import MatterController
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// Lets visitors in over HTTP and WebSockets, and shows them to the reception.
///
/// It has one thread. Each connection makes one request, or becomes a WebSocket.
final class Listener: Sendable {
    private struct Running {
        var group: MultiThreadedEventLoopGroup
        var core: NIOLoopBound<ListenerCore>
        var channels: [any Channel] = []
        var files: [SocketFile] = []
        var addresses: [String] = []
        var watch: RepeatedTask?
    }

    private let settings: ListenerSettings
    private let gatekeeper: Gatekeeper
    private let reception: any Reception
    private let logger: Logger
    private let running = Mutex<Running?>(nil)

    init(_ settings: ListenerSettings, gatekeeper: Gatekeeper, reception: any Reception, logger: Logger) {
        self.settings = settings
        self.gatekeeper = gatekeeper
        self.reception = reception
        self.logger = logger
    }

    /// Where it listens, as clients name it: `unix:///run/user/1000/matterctl/home.sock`, `http://127.0.0.1:5580`.
    var addresses: [String] { running.withLock { $0?.addresses ?? [] } }

    /// Opens all places.
    ///
    /// - Throws: ``ServerError``; none is open then.
    func start() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let core = try await loop.submit { [settings, gatekeeper, reception, logger] in
            NIOLoopBound(ListenerCore(settings, gatekeeper, reception, logger), eventLoop: loop)
        }.get()
        var started = Running(group: group, core: core)
        do {
            for place in settings.places {
                let socket = try SocketPlace.open(place, isBehindProxy: settings.isBehindProxy)
                if let file = socket.file { started.files.append(file) }
                let channel: any Channel
                do {
                    channel = try await Self.bootstrap(group, core, socket).withBoundSocket(socket.descriptor).get()
                } catch {
                    throw ServerError(.address, "cannot listen: \(error)")
                }
                started.channels.append(channel)
                if let address = channel.localAddress { started.addresses.append(Self.text(of: address)) }
            }
        } catch {
            await Self.close(started)
            throw error
        }
        let interval = TimeAmount(settings.limits.tokenInterval)
        started.watch = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            core.value.closeRevoked()
        }
        running.withLock { $0 = started }
    }

    /// Ends all connections, each in order if it goes along in time. Conversations see that their socket has closed.
    func stop(within time: Duration) async {
        guard let running = running.withLock({ $0.take() }) else { return }
        running.watch?.cancel()
        for channel in running.channels { try? await channel.close() }
        for file in running.files { file.remove() }
        let core = running.core
        let loop = core.eventLoop
        let ended = loop.makePromise(of: Void.self)
        loop.execute { core.value.stop(ended) }
        let limit = loop.scheduleTask(in: TimeAmount(time)) { core.value.drop() }
        try? await ended.futureResult.get()
        limit.cancel()
        await Self.close(running)
    }

    private static func close(_ running: Running) async {
        for channel in running.channels where channel.isActive { try? await channel.close() }
        for file in running.files { file.remove() }
        try? await running.group.shutdownGracefully()
    }

    private static func text(of address: SocketAddress) -> String {
        if let path = address.pathname { return "unix://" + path }
        let host = address.ipAddress ?? ""
        return "http://" + (host.contains(":") ? "[\(host)]" : host) + ":\(address.port ?? 0)"
    }

    // MARK: A connection

    private static func bootstrap(
        _ group: MultiThreadedEventLoopGroup, _ core: NIOLoopBound<ListenerCore>, _ socket: SocketPlace
    ) -> ServerBootstrap {
        let isUnix = socket.isUnix
        let bootstrap = ServerBootstrap(group: group)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 16384)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try greet(channel, core, isUnix: isUnix) }
            }
        if isUnix { return bootstrap }
        return bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
    }

    private static func greet(
        _ channel: any Channel, _ core: NIOLoopBound<ListenerCore>, isUnix: Bool
    ) throws {
        if isUnix { try PeerUser.check(channel, core.value.logger) }
        let connection = Connection(channel, isUnix: isUnix)
        guard core.value.enter(connection) else { throw PeerUser.NotAdmitted() }
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in core.value.leave(bound.value) }
        try addHandlers(channel, core.value, connection)
    }

    private static func addHandlers(
        _ channel: any Channel, _ core: ListenerCore, _ connection: Connection
    ) throws {
        let limits = core.settings.limits
        var limit = NIOHTTPDecoderLimitConfiguration()
        limit.maxHeaderFieldSize = limits.headBytes
        limit.maxHeaderListSize = limits.headBytes
        limit.maxHeaderFieldCount = limits.headFields
        let decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limit))
        let encoder = HTTPResponseEncoder()
        let validator = NIOHTTPResponseHeadersValidator()
        let requests = RequestHandler(core, connection)
        let boundRequests = NIOLoopBound(requests, eventLoop: channel.eventLoop)
        let upgrade = HTTPServerUpgradeHandler(
            upgraders: [upgrader(core, connection, channel.eventLoop)], httpEncoder: encoder,
            extraHTTPHandlers: [decoder, validator]
        ) { context in
            context.pipeline.syncOperations.removeHandler(boundRequests.value, promise: nil)
        }
        try channel.pipeline.syncOperations.addHandlers([encoder, decoder, validator, upgrade, requests])
    }

    private static func upgrader(
        _ core: ListenerCore, _ connection: Connection, _ loop: any NIOCore.EventLoop
    ) -> NIOWebSocketServerUpgrader {
        let bound = NIOLoopBound((core, connection), eventLoop: loop)
        return NIOWebSocketServerUpgrader(
            maxFrameSize: core.settings.limits.messageBytes, automaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                let (core, connection) = bound.value
                guard head.method == .GET else { return channel.eventLoop.makeSucceededFuture(nil) }
                let entry = core.entry(RequestHead(head), connection)
                connection.entry = entry
                guard case .admitted(_, let token, let target) = entry, target.path == RequestTarget.webSocket else {
                    return channel.eventLoop.makeSucceededFuture(nil)
                }
                connection.token = token
                return channel.eventLoop.makeSucceededFuture(HTTPHeaders())
            },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    let (core, connection) = bound.value
                    guard case .admitted(let visitor, _, _)? = connection.entry else { throw PeerUser.NotAdmitted() }
                    let reception = core.reception
                    let handler = WebSocketHandler(core.settings.limits) { handler, loop in
                        let socket = ChannelSocket(handler, on: loop)
                        Task {
                            await reception.converse(with: visitor, over: socket)
                            await socket.close(code: CloseCode.normal)
                        }
                    }
                    connection.close = { [weak handler] code in handler?.close(code) }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            })
    }
}
