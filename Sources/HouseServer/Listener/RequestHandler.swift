import MatterController
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Answers the one request of a connection that is not a WebSocket.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let core: ListenerCore
    private let connection: Connection
    private var deadline: Scheduled<Void>?
    private var request: PageRequest?
    private var visitor: Visitor?
    private var upload: Upload?
    /// True once an answer is on its way; what comes then is not looked at.
    private var isDone = false
    private var isHead = false
    /// Whether the client wants errors of uploads.
    private var isUpload = false

    /// A body that goes on piece by piece as it comes.
    private struct Upload {
        let body: UploadBody
        let deadline: Scheduled<Void>
        var count = 0
    }

    init(_ core: ListenerCore, _ connection: Connection) {
        self.core = core
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) { arm(core.settings.limits.requestTime, context) }

    func handlerRemoved(context: ChannelHandlerContext) { endAll() }

    func channelInactive(context: ChannelHandlerContext) {
        endAll()
        context.fireChannelInactive()
    }

    private func endAll() {
        deadline?.cancel()
        upload?.deadline.cancel()
        upload?.body.cut()
    }

    /// A request that takes too long gets an answer; an answer that takes too long does not.
    private func arm(_ time: Duration, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(time)) {
            let (handler, context) = bound.value
            if handler.isDone {
                context.close(promise: nil)
            } else {
                handler.refuse(Refusal(408, "the request took too long"), context)
            }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head): take(head, context)
        case .body(let bytes): take(bytes, context)
        case .end: end(context)
        }
    }

    private func take(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isHead = head.method == .HEAD
        let plain = RequestHead(head)
        switch connection.entry ?? core.entry(plain, connection) {
        case .refused(let refusal): refuse(refusal, context)
        case .admitted(let visitor, let token, let target):
            guard target.path != RequestTarget.webSocket else {
                return refuse(Refusal(426, "this path is for WebSockets"), context)
            }
            let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
            if let id = target.uploadID, plain.method == "POST" {
                connection.token = token
                return begin(id, of: visitor, length, context)
            }
            guard length <= core.settings.limits.bodyBytes else { return refuse(tooLarge, context) }
            connection.token = token
            self.visitor = visitor
            request = PageRequest(
                method: plain.method, path: target.path, query: target.query,
                headers: Dictionary(
                    plain.fields.filter { $0.name != "authorization" }, uniquingKeysWith: { $0 + ", " + $1 }),
                body: [])
            arm(core.settings.limits.requestTime, context)
        }
    }

    private var tooLarge: Refusal {
        Refusal(413, "the body may have \(core.settings.limits.bodyBytes) bytes")
    }

    private func take(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard upload == nil else { return add(bytes, context) }
        guard let count = request?.body.count else { return }
        guard count + bytes.readableBytes <= core.settings.limits.bodyBytes else { return refuse(tooLarge, context) }
        request?.body += bytes.readableBytesView
    }

    private func end(_ context: ChannelHandlerContext) {
        if let upload {
            deadline?.cancel()
            upload.deadline.cancel()
            connection.isAnswering = true
            return upload.body.finish()
        }
        guard let request, let visitor else { return }
        isDone = true
        connection.isAnswering = true
        deadline?.cancel()
        let reception = core.reception
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        Task {
            let response = await reception.page(request, of: visitor)
            bound.eventLoop.execute {
                let (handler, context) = bound.value
                handler.answer(response, context)
            }
        }
    }

    // MARK: Uploads

    private func begin(_ id: String, of visitor: Visitor, _ length: Int, _ context: ChannelHandlerContext) {
        let limits = core.settings.limits
        isUpload = true
        guard length <= limits.uploadBytes else { return refuse(uploadTooLarge, context) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let body = UploadBody(most: limits.uploadWaiting) { isReading in
            bound.eventLoop.execute {
                let (handler, context) = bound.value
                handler.read(isReading, context)
            }
        }
        let end = context.eventLoop.scheduleTask(in: TimeAmount(limits.uploadTime)) {
            let (handler, context) = bound.value
            guard !handler.isDone else { return }
            handler.refuse(Refusal(408, "the upload took too long"), context)
        }
        upload = Upload(body: body, deadline: end)
        arm(limits.requestTime, context)
        let reception = core.reception
        Task {
            let response = await reception.upload(id, of: visitor, body)
            bound.eventLoop.execute {
                let (handler, context) = bound.value
                guard !handler.isDone else { return }
                handler.isDone = true
                handler.endAll()
                handler.read(true, context)
                handler.answer(response, context)
            }
        }
    }

    private func add(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        let limits = core.settings.limits
        let count = (upload?.count ?? 0) + bytes.readableBytes
        guard count <= limits.uploadBytes else { return refuse(uploadTooLarge, context) }
        upload?.count = count
        arm(limits.requestTime, context)
        upload?.body.add(Array(bytes.readableBytesView))
    }

    /// While nothing is read, the other side cannot be late.
    private func read(_ isReading: Bool, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.channel.setOption(.autoRead, value: isReading).whenFailure { _ in }
        guard !isDone, !connection.isAnswering else { return }
        if isReading { arm(core.settings.limits.requestTime, context) } else { deadline?.cancel() }
    }

    private var uploadTooLarge: Refusal {
        Refusal(413, "an upload may have \(core.settings.limits.uploadBytes) bytes")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow where !isDone:
            refuse(Refusal(431, "the header is too large"), context)
        case is HTTPParserError where !isDone: refuse(Refusal(400, "this is not HTTP"), context)
        case is HTTPParserError: break
        // The upgrade tells it, and then hands on the request.
        case is NIOWebSocketUpgradeError, is HTTPServerUpgradeErrors: break
        default: context.close(promise: nil)
        }
    }

    // MARK: Answering

    private func refuse(_ refusal: Refusal, _ context: ChannelHandlerContext) {
        isDone = true
        if upload != nil {
            endAll()
            read(true, context)
        }
        var response =
            isUpload
            ? HouseFirmware.refusal(refusal.status, refusal.reason) : .plain(refusal.status, refusal.reason)
        if refusal.status == 401 { response.headers.append(("WWW-Authenticate", "Bearer")) }
        if refusal.status == 426 { response.headers.append(("Upgrade", "websocket")) }
        if let seconds = refusal.retryAfter { response.headers.append(("Retry-After", "\(seconds)")) }
        answer(response, context)
    }

    private func answer(_ response: PageResponse, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        connection.isAnswering = true
        arm(core.settings.limits.answerTime, context)
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        headers.replaceOrAdd(name: "Content-Length", value: "\(response.body.count)")
        headers.replaceOrAdd(name: "Content-Type", value: response.contentType)
        // One request for each connection: nothing waits between two of them.
        headers.replaceOrAdd(name: "Connection", value: "close")
        for (name, value) in Self.standard where !headers.contains(name: name) { headers.add(name: name, value: value) }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if !isHead, !response.body.isEmpty {
            context.write(
                Self.wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: response.body)))),
                promise: nil)
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).whenComplete { _ in
            let (handler, context) = bound.value
            handler.close(context)
        }
    }

    /// Closes our direction first: bytes that have not been read would make the system throw away the answer.
    private func close(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
        arm(core.settings.limits.closeTime, context)
    }

    private static let standard = [
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ]
}

extension RequestHead {
    init(_ head: HTTPRequestHead) {
        self.init(
            method: head.method.rawValue, target: head.uri,
            fields: head.headers.map { ($0.name.lowercased(), $0.value) })
    }
}
