import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Carries out the commands that shells hand to the server.
public protocol ShellCommands: Sendable {
    /// Why a program's commands cannot be carried out here; `nil` if they can.
    func refusal(of caller: ShellCaller) async -> String?

    /// Carries out a command. A cancelled task means that the shell does not want it any more.
    ///
    /// - Parameters:
    ///   - isUnheard: whether the result has no reader any more.
    ///   - print: takes text for stdout (`false`) or stderr (`true`).
    /// - Returns: the exit code; `nil` for a command that has to ask a person, which only the shell's own process can. It has changed
    ///   nothing then.
    func run(
        _ call: ShellCall, isUnheard: @escaping @Sendable () -> Bool,
        print: @escaping @Sendable (_ isError: Bool, _ text: [UInt8]) -> Void
    ) async -> Int32?
}

/// Takes commands of this user's shells over a Unix socket: one command for each connection.
final class ShellPost: Sendable {
    private struct Running {
        let group: MultiThreadedEventLoopGroup
        let channel: any Channel
        let file: SocketFile?
    }

    private let commands: any ShellCommands
    private let pace: Duration
    private let logger: Logger
    private let running = Mutex<Running?>(nil)

    /// - Parameter pace: how often a command that goes on says so.
    init(_ commands: any ShellCommands, pace: Duration = .seconds(5), logger: Logger) {
        self.commands = commands
        self.pace = pace
        self.logger = logger
    }

    /// - Throws: ``ServerError``.
    func start(at path: String) async throws {
        let socket = try SocketPlace.open(.unix(path: path), isBehindProxy: false)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let channel = try await ServerBootstrap(group: group)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { [commands, pace, logger] channel in
                    channel.eventLoop.makeCompletedFuture {
                        try PeerUser.check(channel, logger)
                        try channel.pipeline.syncOperations.addHandler(ShellHandler(commands, pace: pace, channel))
                    }
                }
                .withBoundSocket(socket.descriptor).get()
            running.withLock { $0 = Running(group: group, channel: channel, file: socket.file) }
        } catch {
            socket.file?.remove()
            try? await group.shutdownGracefully()
            throw ServerError(.address, "cannot listen at \(path): \(error)")
        }
    }

    func stop() async {
        guard let running = running.withLock({ $0.take() }) else { return }
        try? await running.channel.close()
        running.file?.remove()
        try? await running.group.shutdownGracefully()
    }
}

/// The state of a command that the threads of its shell and of the command share.
private final class ShellRun: Sendable {
    /// How much text may wait for a shell that does not read, in bytes.
    private static let mostWaiting = 32 << 20

    /// Whether the result has no reader any more.
    let isUnheard = Atomic(false)
    /// Whether the last frame is on its way.
    private let isOver = Atomic(false)
    private let waiting = Atomic(0)
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// Sends a frame. A shell that leaves too much unread is let go, and its command is cancelled with it.
    func send(_ frame: ShellFrame) {
        let buffer = ByteBuffer(bytes: frame.encoded)
        let count = buffer.readableBytes
        guard waiting.add(count, ordering: .relaxed).newValue <= Self.mostWaiting else {
            return channel.close(promise: nil)
        }
        channel.writeAndFlush(buffer).whenComplete { [self] _ in waiting.subtract(count, ordering: .relaxed) }
    }

    /// Says that the command goes on, unless its end has been sent. On the event loop, which sends the end after this.
    func beat() {
        if !isOver.load(ordering: .acquiring) { send(.working) }
    }

    /// No frame comes behind the one that is sent now.
    func end() { isOver.store(true, ordering: .releasing) }
}

/// One command of a shell.
private final class ShellHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The longest line of a shell.
    private static let longest = 1 << 20

    private enum State {
        case greeting
        case waiting
        case accepted
        case running(Task<Void, Never>, ShellRun)
        case over
    }

    private let commands: any ShellCommands
    private let pace: TimeAmount
    private let channel: any Channel
    private var state = State.greeting
    private var octets: [UInt8] = []
    /// Says that the command goes on, so that a shell can tell a long command from a server that stands still.
    private var beat: RepeatedTask?

    init(_ commands: any ShellCommands, pace: Duration, _ channel: any Channel) {
        self.commands = commands
        self.pace = TimeAmount(pace)
        self.channel = channel
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        octets += unwrapInboundIn(data).readableBytesView
        guard octets.count <= Self.longest else { return context.close(promise: nil) }
        take(context)
    }

    private func take(_ context: ChannelHandlerContext) {
        guard let end = octets.firstIndex(of: UInt8(ascii: "\n")) else { return }
        switch state {
        case .greeting:
            let line = Array(octets[..<end])
            octets.removeFirst(end + 1)
            guard let caller = ShellCaller(line: line) else {
                return decline("this is another protocol")
            }
            state = .waiting
            let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
            let contextBound = NIOLoopBound(context, eventLoop: channel.eventLoop)
            Self.ask(commands, caller, channel) { refusal in
                let handler = bound.value
                guard case .waiting = handler.state else { return }
                if let refusal { return handler.decline(refusal) }
                handler.state = .accepted
                Self.send(.accepted, to: handler.channel)
                handler.take(contextBound.value)
            }
        case .accepted:
            let line = Array(octets[..<end])
            octets.removeFirst(end + 1)
            guard let call = ShellCall(line: line) else { return context.close(promise: nil) }
            let run = ShellRun(channel)
            beat = channel.eventLoop.scheduleRepeatedTask(initialDelay: pace, delay: pace) { _ in run.beat() }
            state = .running(Self.carryOut(call, commands, run, channel), run)
            // Both lines may come together.
            take(context)
        case .running(_, let run):
            if octets[...end].elementsEqual(ShellCall.unheard) { run.isUnheard.store(true, ordering: .relaxed) }
            octets.removeFirst(end + 1)
            take(context)
        case .waiting, .over: break
        }
    }

    /// - Parameter answer: called on the channel's event loop.
    private static func ask(
        _ commands: any ShellCommands, _ caller: ShellCaller, _ channel: any Channel,
        _ answer: @escaping @Sendable (String?) -> Void
    ) {
        Task {
            let refusal = await commands.refusal(of: caller)
            channel.eventLoop.execute { answer(refusal) }
        }
    }

    private static func carryOut(
        _ call: ShellCall, _ commands: any ShellCommands, _ run: ShellRun, _ channel: any Channel
    ) -> Task<Void, Never> {
        Task {
            let status = await commands.run(call, isUnheard: { run.isUnheard.load(ordering: .relaxed) }) {
                isError, text in
                for part in parts(text) { run.send(isError ? .error(part) : .output(part)) }
            }
            run.end()
            send(
                status.map { .end(UInt8(truncatingIfNeeded: $0)) } ?? .declined("a person has to be asked"), to: channel
            )
            try? await channel.close()
        }
    }

    private static func parts(_ text: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var rest = text[...]
        while rest.count > ShellFrame.largest {
            var part = rest.prefix(ShellFrame.largest)
            // A character stays whole.
            while let next = rest.dropFirst(part.count).first, next & 0xC0 == 0x80, !part.isEmpty {
                part = part.dropLast()
            }
            parts.append(Array(part))
            rest = rest.dropFirst(part.count)
        }
        return parts + [Array(rest)]
    }

    private static func send(_ frame: ShellFrame, to channel: any Channel) {
        channel.writeAndFlush(ByteBuffer(bytes: frame.encoded), promise: nil)
    }

    private func decline(_ reason: String) {
        state = .over
        channel.writeAndFlush(ByteBuffer(bytes: ShellFrame.declined(reason).encoded)).whenComplete { [channel] _ in
            channel.close(promise: nil)
        }
    }

    /// The shell does not want the command any more, or is gone.
    private func cancel() {
        switch state {
        case .running(let task, _): task.cancel()
        default: channel.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { cancel() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        beat?.cancel()
        if case .running(let task, _) = state { task.cancel() }
        state = .over
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
