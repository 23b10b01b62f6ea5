import NIOCore
import NIOWebSocket

/// One WebSocket, on the event loop: messages in both directions, pings, and the end.
///
/// Nothing grows without a bound: messages that are not taken stop the reading, messages that cannot be written keep their senders
/// waiting, and of pings that cannot be answered the last one counts.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// A message on its way out.
    private struct Outgoing {
        var parts: ArraySlice<[UInt8]>
        /// Where the first of the parts goes on.
        var offset = 0
        var isBegun = false
        /// Hears whether it was written.
        var ended: (Bool) -> Void
    }

    private enum State {
        case open
        /// A Close was sent; that of the other side is waited for.
        case closing
        case closed
    }

    private let limits: ListenerLimits
    private let converse: (WebSocketHandler, any NIOCore.EventLoop) -> Void
    private var context: ChannelHandlerContext?
    private var state = State.open
    private var assembler: MessageAssembler

    private var inbox = CircularBuffer<[UInt8]>()
    private var inboxBytes = 0
    private var reader: CheckedContinuation<[UInt8]?, Never>?
    /// The reading of the socket that has been put off.
    private var isReadDue = false

    private var outbox = CircularBuffer<Outgoing>()
    private var isPumping = false
    private var duePong: [UInt8]?

    private var unanswered = 0
    private var progress = NIODeadline.now()
    private var timer: RepeatedTask?
    private var end: Scheduled<Void>?

    /// - Parameter converse: begins the conversation.
    init(_ limits: ListenerLimits, converse: @escaping (WebSocketHandler, any NIOCore.EventLoop) -> Void) {
        self.limits = limits
        self.converse = converse
        assembler = MessageAssembler(limits)
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        progress = .now()
        let interval = TimeAmount(limits.pingInterval)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            bound.value.tick()
        }
        converse(self, context.eventLoop)
    }

    func handlerRemoved(context: ChannelHandlerContext) { finish() }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        guard state != .closed else { return }
        unanswered = 0
        let outcome = assembler.take(MessageAssembler.Frame(frame))
        switch outcome {
        case .none, .pong: break
        case .message(let message): if state == .open { deliver(message) }
        case .ping(let payload): if state == .open { pong(payload) }
        case .violation(let code): if state == .open { close(code) }
        // The other side's Close is answered by one of ours, unless it is the answer.
        case .close(let code):
            if state == .open { answerClose(code ?? CloseCode.normal) } else { context.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: close(CloseCode.tooLarge)
        case is NIOWebSocketError: close(CloseCode.protocolError)
        default: context.close(promise: nil)
        }
    }

    func read(context: ChannelHandlerContext) {
        if isFull { isReadDue = true } else { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            progress = .now()
            if let payload = duePong { pong(payload) }
            pump()
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Incoming

    private var isFull: Bool { inbox.count >= limits.waitingMessages || inboxBytes >= limits.waitingBytes }

    private func deliver(_ message: [UInt8]) {
        if let reader {
            self.reader = nil
            progress = .now()
            reader.resume(returning: message)
        } else {
            if inbox.isEmpty { progress = .now() }
            inbox.append(message)
            inboxBytes += message.count
        }
    }

    /// Gives the next message to one who waits.
    func give(_ continuation: CheckedContinuation<[UInt8]?, Never>) {
        // One at a time asks.
        guard reader == nil else { return continuation.resume(returning: nil) }
        guard let message = inbox.popFirst() else {
            if state == .open { reader = continuation } else { continuation.resume(returning: nil) }
            return
        }
        inboxBytes -= message.count
        progress = .now()
        continuation.resume(returning: message)
        if isReadDue, !isFull {
            isReadDue = false
            context?.read()
        }
    }

    /// The one who waits for a message does so no more.
    func stopGiving() {
        reader?.resume(returning: nil)
        reader = nil
    }

    // MARK: Outgoing

    /// Sends a message when those before it are out.
    ///
    /// - Parameter ended: hears whether it was written, or the connection was lost before.
    func send(_ parts: [[UInt8]], _ ended: @escaping (_ isOut: Bool) -> Void) {
        guard state == .open else { return ended(false) }
        if outbox.isEmpty { progress = .now() }
        outbox.append(Outgoing(parts: parts.filter { !$0.isEmpty }[...], ended: ended))
        guard !isPumping, let context else { return }
        isPumping = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        // Behind the messages that other tasks bring now, so that they go out together.
        context.eventLoop.execute { bound.value.pumpAgain() }
    }

    /// Frames that are written before the event loop looks at other things, such as a ping of the one who reads.
    private static let turn = 8
    private static let pause = TimeAmount.microseconds(20)

    /// Writes as long as the channel takes more. A control frame can go between any two frames.
    private func pump() {
        guard !isPumping, let context else { return }
        isPumping = true
        var frames = 0
        var goesOn: Bool { state == .open && context.channel.isWritable && !outbox.isEmpty && frames < Self.turn }
        while goesOn {
            // Small ones go out together; big ones are soon as many as the channel takes before it has written them.
            repeat {
                writeFrame(context)
                frames += 1
            } while goesOn
            context.flush()
        }
        guard frames == Self.turn else {
            isPumping = false
            return
        }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        // Tasks that are ready come before the sockets are looked at again.
        context.eventLoop.scheduleTask(in: Self.pause) { bound.value.pumpAgain() }
    }

    private func pumpAgain() {
        isPumping = false
        pump()
    }

    private func writeFrame(_ context: ChannelHandlerContext) {
        guard var message = outbox.first else { return }
        let part = message.parts.first ?? []
        let end = min(part.count, message.offset + limits.partBytes)
        let data = context.channel.allocator.buffer(bytes: part[message.offset..<end])
        let opcode: WebSocketOpcode = message.isBegun ? .continuation : .text
        message.isBegun = true
        message.offset = end
        if end == part.count {
            message.parts = message.parts.dropFirst()
            message.offset = 0
        }
        let isLast = message.parts.isEmpty
        if isLast { outbox.removeFirst() } else { outbox[outbox.startIndex] = message }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenSuccess { bound.value.progress = .now() }
        context.write(Self.wrapOutboundOut(WebSocketFrame(fin: isLast, opcode: opcode, data: data)), promise: written)
        if isLast { message.ended(true) }
    }

    private func control(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        guard let context else { return }
        let data = context.channel.allocator.buffer(bytes: payload)
        context.writeAndFlush(
            Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
    }

    /// Answers a ping; one that cannot be answered now gives way to the next (RFC 6455 section 5.5.3).
    private func pong(_ payload: [UInt8]) {
        guard let context, context.channel.isWritable else {
            duePong = payload
            return
        }
        duePong = nil
        control(.pong, payload)
    }

    // MARK: Time

    private func tick() {
        guard state == .open, let context else { return }
        let isWaiting = !outbox.isEmpty || !context.channel.isWritable || isReadDue
        if isWaiting {
            // Pongs may stand behind what is not read, so that only progress counts.
            if NIODeadline.now() - progress >= TimeAmount(limits.stallTime) { context.close(promise: nil) }
            unanswered = 0
            return
        }
        guard unanswered < limits.missedPongs else { return context.close(promise: nil) }
        unanswered += 1
        control(.ping, [])
    }

    // MARK: The end

    /// Says Close, and waits a moment for the other side's.
    func close(_ code: UInt16) {
        guard state == .open, let context else { return }
        inbox = []
        inboxBytes = 0
        sendClose(code, context, promise: nil)
        if isReadDue {
            isReadDue = false
            context.read()
        }
    }

    private func answerClose(_ code: UInt16) {
        guard let context else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        sendClose(code, context, promise: written)
    }

    private func sendClose(_ code: UInt16, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        state = .closing
        release()
        let data = context.channel.allocator.buffer(integer: code)
        context.writeAndFlush(
            Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)), promise: promise)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        end = context.eventLoop.scheduleTask(in: TimeAmount(limits.closeTime)) { bound.value.close(promise: nil) }
    }

    private func finish() {
        guard state != .closed else { return }
        state = .closed
        release()
        timer?.cancel()
        end?.cancel()
        context = nil
    }

    /// Lets all go who wait. Messages that have come can still be taken.
    private func release() {
        stopGiving()
        let lost = outbox
        outbox = []
        for message in lost { message.ended(false) }
    }
}

extension MessageAssembler.Frame {
    init(_ frame: WebSocketFrame) {
        self.init(
            isFinal: frame.fin, hasReservedBits: frame.rsv1 || frame.rsv2 || frame.rsv3,
            opcode: UInt8(webSocketOpcode: frame.opcode), isMasked: frame.maskKey != nil,
            payload: Array(frame.unmaskedData.readableBytesView))
    }
}
