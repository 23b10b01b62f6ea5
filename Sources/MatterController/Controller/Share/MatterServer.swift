public import MatterLedger

/// The way to a Matter server: a WebSocket, or in tests something else.
protocol MatterServerLink: Sendable {
    /// The server's messages.
    var messages: AsyncThrowingStream<String, any Error> { get }
    func send(_ text: String) throws
    func close() async
}

extension WebSocketConnection: MatterServerLink {}

/// Another controller that commissions devices for us: a Matter server with the WebSocket interface of Home Assistant's
/// python-matter-server or matterjs-server (own).
public actor MatterServer {
    /// The version of the interface that this client speaks, and the oldest server that can do what is asked of it
    /// (`network_only`).
    private static let (schema, oldestServer) = (11, 6)
    /// How many bytes a message may have: a node with all its attributes is one.
    private static let largestMessage = 8 << 20

    private let link: any MatterServerLink
    private let time: any TimeSource
    private let place: String
    private var waiting: [String: CheckedContinuation<JSONValue, any Error>] = [:]
    private var count = 0
    /// Why nothing can be asked any more.
    private var end: (any Error)?
    private var reader: Task<Void, Never>?

    /// The fabric of the server, by the name that devices tell fabrics apart by.
    public nonisolated let fabric: CompressedFabricID
    /// The server's version of the interface.
    nonisolated let schemaVersion: Int

    private init(
        _ link: any MatterServerLink, _ place: String, _ info: MatterServerMessage.Info, _ time: any TimeSource
    ) {
        self.link = link
        self.place = place
        self.time = time
        fabric = CompressedFabricID(rawValue: info.compressedFabricID)
        schemaVersion = info.schema
    }

    /// Connects to a server, and asks nothing of it yet.
    ///
    /// - Parameters:
    ///   - authorities: a file of certificate authorities (PEM) to trust besides those of the system.
    ///   - patience: how long the server may take to say what it is.
    /// - Throws: ``WebSocketError``; ``ShareError`` `serverVersion` or `serverMalformed`; ``HTTPError`` without libcurl.
    public static func connect(
        to url: WebSocketURL, authorities: String? = nil, within patience: Duration = .seconds(10)
    ) async throws -> MatterServer {
        let deadline = Instant.now + patience
        let settings = HTTPSettings(authorityFile: authorities, largestBody: largestMessage)
        let link = try await WebSocketConnection.open(url, settings, random: SystemRandom(), deadline: deadline)
        return try await greet(link, at: "\(url)", SystemTime(), deadline: deadline)
    }

    /// Waits for the server to say what it is.
    static func greet(
        _ link: any MatterServerLink, at place: String, _ time: any TimeSource, deadline: Instant
    ) async throws -> MatterServer {
        do {
            let info = try await withThrowingTaskGroup { group in
                group.addTask { try await firstInfo(link.messages, place) }
                group.addTask {
                    try await time.sleep(until: deadline)
                    throw ShareError(
                        .serverSilent, "\(place) did not say which server it is", hint: .step("share.server"))
                }
                defer { group.cancelAll() }
                guard let info = try await group.next() else { throw CancellationError() }
                return info
            }
            guard info.schema >= oldestServer else {
                throw ShareError(
                    .serverVersion,
                    "\(place) is too old: its interface has version \(info.schema), and \(oldestServer) is needed")
            }
            guard info.oldestClient <= schema else {
                throw ShareError(
                    .serverVersion,
                    "\(place) is too new: it serves clients of version \(info.oldestClient), and this is \(schema)")
            }
            let server = MatterServer(link, place, info, time)
            await server.read()
            return server
        } catch {
            await link.close()
            throw error
        }
    }

    private static func firstInfo(
        _ messages: AsyncThrowingStream<String, any Error>, _ place: String
    ) async throws -> MatterServerMessage.Info {
        for try await text in messages {
            guard case .info(let info) = try MatterServerMessage(parsing: text) else {
                throw ShareError(
                    .serverMalformed, "\(place) does not begin as a Matter server does", hint: .step("share.server"))
            }
            return info
        }
        try Task.checkCancellation()
        throw ShareError(.serverLost, "\(place) ended the connection")
    }

    private func read() {
        let messages = link.messages
        reader = time.start { [weak self] in
            do {
                for try await text in messages { await self?.take(try MatterServerMessage(parsing: text)) }
                await self?.stop(nil)
            } catch {
                await self?.stop(error)
            }
        }
    }

    private func take(_ message: MatterServerMessage) {
        switch message {
        case .result(let id, let value): waiting.removeValue(forKey: id)?.resume(returning: value)
        case .failure(let id, let code, let details):
            let name = MatterServerMessage.name(ofError: code).map { " \($0)" } ?? ""
            waiting.removeValue(forKey: id)?.resume(
                throwing: ShareError(
                    .serverRefused, "error \(code)\(name)" + (details.map { ": \($0)" } ?? ""),
                    hint: .step("share.server-log"), serverError: code, details: details))
        case .info, .other: break
        }
    }

    private func stop(_ error: (any Error)?) {
        guard end == nil else { return }
        let words = (error as? any CodedError).map { ": \($0.message)" } ?? ""
        let failure = ShareError(.serverLost, "the connection with \(place) has ended\(words)")
        end = failure
        for continuation in waiting.values { continuation.resume(throwing: failure) }
        waiting = [:]
    }

    /// - Throws: ``ShareError`` `serverLost` if nothing can be asked any more.
    func check() throws { if let end { throw end } }

    /// Lets the server commission a device that is open.
    ///
    /// - Parameter code: the QR code of its window.
    /// - Parameter title: the device in messages.
    /// - Returns: the device's node id on the server's fabric.
    /// - Throws: ``ShareError``.
    func commission(_ code: String, of title: String, deadline: Instant) async throws -> UInt64 {
        let answer: JSONValue
        do {
            answer = try await ask(
                "commission_with_code", ["code": .string(code), "network_only": .bool(true)], deadline: deadline)
        } catch var error as ShareError where [.serverRefused, .serverSilent].contains(error.code) {
            error.reason = "\(place) did not take \(title): \(error.reason)"
            throw error
        }
        guard let node: UInt64 = answer["node_id"]?.integer() else {
            throw ShareError(.serverMalformed, "\(place) answered without the id of the node")
        }
        return node
    }

    /// Asks the server for something that no other method has.
    ///
    /// - Parameter command: the name of the command, as the interface has it.
    /// - Returns: the result, as the server gave it.
    /// - Throws: ``ShareError``; `CancellationError`.
    public func result(
        of command: String, _ arguments: JSONObject, deadline: Instant
    ) async throws -> JSONValue {
        try await ask(command, arguments, deadline: deadline)
    }

    private func ask(_ name: String, _ arguments: JSONObject, deadline: Instant) async throws -> JSONValue {
        try check()
        count += 1
        let id = "matterctl-\(count)"
        try link.send(MatterServerMessage.command(name, id: id, arguments))
        let watchdog = time.start { [self, time] in
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            await giveUp(id, ShareError(.serverSilent, "no answer in time", hint: .step("share.server-log")))
        }
        defer { watchdog.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                if let end { return continuation.resume(throwing: end) }
                waiting[id] = continuation
            }
        } onCancel: {
            time.start { [self] in await giveUp(id, CancellationError()) }
        }
    }

    private func giveUp(_ id: String, _ error: any Error) { waiting.removeValue(forKey: id)?.resume(throwing: error) }

    /// Ends the connection.
    public func close() async {
        stop(nil)
        reader?.cancel()
        await link.close()
    }
}
