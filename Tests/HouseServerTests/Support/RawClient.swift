import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// Another answer than the test goes on with.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

/// A connection that writes what a test says, and keeps what comes.
final class RawClient: Sendable {
    private let channel: any Channel
    private let received: Received

    private final class Received: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let bytes = Mutex<[UInt8]>([])
        let hasEnded = Mutex(false)

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = Self.unwrapInboundIn(data)
            bytes.withLock { $0 += buffer.readableBytesView }
        }

        func channelInactive(context: ChannelHandlerContext) { hasEnded.withLock { $0 = true } }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private init(_ channel: any Channel, _ received: Received) { (self.channel, self.received) = (channel, received) }

    /// Connects to a listener.
    ///
    /// - Parameters:
    ///   - address: as the listener names it.
    ///   - source: our own address.
    static func connect(_ address: String, from source: String? = nil) async throws -> RawClient {
        let received = Received()
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(received) }
            }
        if let source { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: source, port: 0)) }
        let channel: any Channel
        if address.hasPrefix("unix://") {
            channel = try await bootstrap.connect(unixDomainSocketPath: String(address.dropFirst(7))).get()
        } else {
            let port = address.split(separator: ":").last.flatMap { Int($0) } ?? 0
            channel = try await bootstrap.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: port)).get()
        }
        return RawClient(channel, received)
    }

    var bytes: [UInt8] { received.bytes.withLock { $0 } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var hasEnded: Bool { received.hasEnded.withLock { $0 } }

    /// Without an error if the other side has gone already.
    func send(_ bytes: [UInt8]) async { try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() }

    func send(_ text: String) async { await send(Array(text.utf8)) }

    /// Without waiting for the other side.
    func push(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    func read(_ isReading: Bool) async throws { try await channel.setOption(.autoRead, value: isReading).get() }

    func close() async { try? await channel.close() }

    /// All that comes until the other side closes.
    func answer() async throws -> String {
        try await awaitEvent("the end of the connection; so far: \(text.prefix(300))") { hasEnded }
        return text
    }

    /// The status of the answer.
    func status() async throws -> Int {
        let parts = try await answer().split(separator: " ", maxSplits: 2)
        return parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    }
}

/// The client's side of a WebSocket, as plain as a test needs it.
final class RawWebSocket: Sendable {
    struct Frame: Equatable {
        var isFinal: Bool
        var opcode: UInt8
        var payload: [UInt8]

        var closeCode: UInt16? {
            opcode == 8 && payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
        }
    }

    let client: RawClient
    private let head: Int

    private init(_ client: RawClient, _ head: Int) { (self.client, self.head) = (client, head) }

    static func request(_ target: String, host: String = "localhost", _ fields: String = "") -> String {
        """
        GET \(target) HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\(fields)\r\n
        """
    }

    static func open(
        _ address: String, _ target: String = "/ws", from source: String? = nil, first: [UInt8] = []
    ) async throws -> RawWebSocket {
        let client = try await RawClient.connect(address, from: source)
        await client.send(Array(request(target).utf8) + first)
        let end = Array("\r\n\r\n".utf8)
        func headEnd() -> Int? {
            let bytes = client.bytes
            return bytes.indices.first { bytes[$0...].starts(with: end) }.map { $0 + end.count }
        }
        try await awaitEvent("the answer to the upgrade: \(client.text)") { headEnd() != nil || client.hasEnded }
        guard let head = headEnd(), client.text.hasPrefix("HTTP/1.1 101 ") else {
            throw Unexpected(description: "no upgrade: \(client.text)")
        }
        return RawWebSocket(client, head)
    }

    /// The frames that came so far, whole ones.
    var frames: [Frame] {
        var rest = client.bytes.dropFirst(head)
        var frames: [Frame] = []
        while let first = rest.popFirst(), let second = rest.popFirst() {
            var length = Int(second & 0x7F)
            let more = length == 126 ? 2 : length == 127 ? 8 : 0
            guard rest.count >= more else { break }
            if more > 0 { length = rest.prefix(more).reduce(0) { $0 << 8 | Int($1) } }
            rest = rest.dropFirst(more)
            guard rest.count >= length else { break }
            frames.append(Frame(isFinal: first & 0x80 != 0, opcode: first & 0x0F, payload: Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return frames
    }

    /// Text messages that came so far.
    var messages: [[UInt8]] {
        var (messages, open): ([[UInt8]], [UInt8]) = ([], [])
        for frame in frames where frame.opcode <= 1 {
            open += frame.payload
            if frame.isFinal {
                messages.append(open)
                open = []
            }
        }
        return messages
    }

    var closeCode: UInt16? { frames.lazy.compactMap(\.closeCode).first }

    static func frame(
        _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0, isMasked: Bool = true
    ) -> [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | reserved | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ...125: bytes.append(mask | UInt8(payload.count))
        case ...0xFFFF: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: bytes += [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        guard isMasked else { return bytes + payload }
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    static func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }

    func send(_ text: String) async { await client.send(Self.text(text)) }

    func message(_ count: Int = 1) async throws -> String {
        try await awaitEvent("message \(count)") { messages.count >= count || client.hasEnded }
        let all = messages
        guard all.count >= count else { throw Unexpected(description: "the connection has ended") }
        return String(decoding: all[count - 1], as: UTF8.self)
    }

    /// The code with which the other side closes, once it has.
    func close() async throws -> UInt16? {
        try await awaitEvent("the close") { closeCode != nil || client.hasEnded }
        return closeCode
    }
}
