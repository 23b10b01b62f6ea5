import JSON
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket

@testable import HouseServer

extension FuzzEntry {
    /// Input from visitors of the server: frames with the messages in them, and heads of requests.
    static let server = [
        FuzzEntry("web-socket") {
            ServerSeeds.frames
        } run: { bytes in
            WebSocketRun().take(bytes)
        },
        FuzzEntry("request-head") {
            ServerSeeds.heads
        } run: { bytes in
            requestHead(bytes)
        },
    ]

    /// A target, a Host, an Origin, an address and a token, as the lines of an input.
    private static func requestHead(_ bytes: [UInt8]) -> Depth {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        func line(_ index: Int) -> String { index < lines.count ? lines[index] : "" }
        var settings = ListenerSettings(places: [])
        settings.openPaths = ["/"]
        settings.servesPage = true
        settings.isBehindProxy = true
        var entrance = Entrance(settings)
        var fields = [("host", line(1))]
        for (index, name) in [(2, "origin"), (3, "x-forwarded-for"), (4, "authorization")] where !line(index).isEmpty {
            fields.append((name, line(index)))
        }
        let head = RequestHead(method: "GET", target: line(0), fields: fields)
        let origin = RequestOrigin(isOwnUser: false, address: "127.0.0.1", local: "127.0.0.1")
        let entry = entrance.entry(head, from: origin, now: .zero) { token in
            token == "t" ? AccessToken(id: "1", name: "a", roles: [.read], created: 0, digest: []) : nil
        }
        switch entry {
        case .refused: return .refused
        case .admitted(let visitor, let token, let target):
            precondition(target.token == nil && target.path.hasPrefix("/"))
            // Rights come of a token, and of nothing else.
            precondition((token != nil) == visitor.may(.read))
            precondition(token != nil || target.path == "/")
            precondition(HostRule.name(of: line(1)) != nil)
            return .deep
        }
    }
}

/// A WebSocket without a network.
private final class WebSocketRun {
    private static var limits: ListenerLimits {
        var limits = ListenerLimits()
        (limits.messageBytes, limits.fragments, limits.waitingMessages) = (600, 8, 1000)
        return limits
    }

    /// Looks at the frames before the handler gets them.
    private final class Witness: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        var assembler = MessageAssembler(limits)
        var depth = FuzzEntry.Depth.refused
        var hasEnded = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch assembler.take(MessageAssembler.Frame(Self.unwrapInboundIn(data))) {
            case .message(let message):
                precondition(!hasEnded && message.count <= limits.messageBytes)
                precondition(String(validating: message, as: UTF8.self) != nil)
                if WebSocketRun.isCommand(message) { depth = .deep }
            case .close, .violation: hasEnded = true
            case .none, .ping, .pong: break
            }
            context.fireChannelRead(data)
        }
    }

    /// Whether a message is a command; then it needs some right.
    private static func isCommand(_ message: [UInt8]) -> Bool {
        guard let object = (try? JSONValue(parsing: message))?.objectValue,
            case .string(let command)? = object["command"]
        else { return false }
        precondition(!Rights.needs(command, object["args"] ?? .null) { _, _ in [0x000A] }.isEmpty)
        precondition(
            Rights.needs(command, object["args"] ?? .null) { _, _ in [0x000A] }.isDisjoint(with: [.control])
                || command.hasSuffix("command") || command.hasSuffix("commands") || command.hasSuffix("attribute"))
        return true
    }

    func take(_ bytes: [UInt8]) -> FuzzEntry.Depth {
        let channel = EmbeddedChannel()
        let witness = Witness()
        do {
            try channel.pipeline.syncOperations.addHandlers([
                WebSocketFrameEncoder(),
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: Self.limits.messageBytes)),
                witness, WebSocketHandler(Self.limits) { _, _ in },
            ])
            try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            for piece in Pieces(bytes) { _ = try? channel.writeInbound(ByteBuffer(bytes: piece)) }
            var out: [UInt8] = []
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) { out += buffer.readableBytesView }
            check(out)
            // One that the handler has closed leaves its handlers when its loop runs; until then they hold each other.
            _ = try? channel.finish(acceptAlreadyClosed: true)
            channel.embeddedEventLoop.run()
        } catch {
            preconditionFailure("\(error)")
        }
        return witness.depth
    }

    /// The answers are control frames, whole and unmasked, and there is nothing after a Close.
    private func check(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var isClosed = false
        while let first = rest.popFirst() {
            guard let count = rest.popFirst() else { preconditionFailure("half a frame") }
            precondition(!isClosed && count <= 125 && rest.count >= Int(count))
            precondition(first == 0x88 || first == 0x8A)
            isClosed = first == 0x88
            rest = rest.dropFirst(Int(count))
        }
    }
}

/// Inputs of our own hand.
private enum ServerSeeds {
    private static func frame(_ opcode: UInt8, _ text: String, isFinal: Bool = true) -> [UInt8] {
        let payload = Array(text.utf8)
        let key: [UInt8] = [1, 2, 3, 4]
        let length: [UInt8] =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)] : [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        return [(isFinal ? 0x80 : 0) | opcode] + length + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    private static let listen = #"{"message_id":"1","command":"start_listening"}"#
    private static let toggle =
        #"{"message_id":"2","command":"device_command","args":{"node_id":1,"endpoint_id":1,"cluster_id":6,"command_name":"Toggle","payload":{}}}"#
    private static let write =
        #"{"message_id":"3","command":"write_attribute","args":{"node_id":1,"attribute_path":"1/513/18","value":2100}}"#
    private static let batch =
        #"{"message_id":"4","command":"batched_device_commands","args":{"node_id":1,"commands":[{"endpoint_id":1,"cluster_id":257,"command_name":"LockDoor","payload":{}}]}}"#

    static let frames: [[UInt8]] = [
        Pieces.joined([frame(1, listen)]), Pieces.joined([frame(1, toggle)]),
        Pieces.joined([frame(1, write) + frame(9, "p")]),
        Pieces.joined([
            frame(1, String(batch.prefix(40)), isFinal: false), frame(9, "x"), frame(0, String(batch.dropFirst(40))),
        ]),
        Pieces.joined([frame(1, listen) + frame(8, "\u{3}")]), Pieces.joined([frame(10, ""), frame(2, "b")]),
    ]

    static let heads: [[UInt8]] = [
        "/\nlocalhost", "/ws/t\nlocalhost:5580",
        "/metrics?a=b\n[::1]:80\nhttp://[::1]:80\n192.0.2.1, 192.0.2.2\nBearer t",
        "/ws/wrong\n127.0.0.1", "/ws\nevil.example\nhttp://evil.example", "//x\nlocalhost",
    ].map { Array($0.utf8) }
}
