import Logging
import NIOCore

/// The part of the listener that its connections share. Its members are used on the event loop.
final class ListenerCore {
    let settings: ListenerSettings
    let gatekeeper: Gatekeeper
    let reception: any Reception
    let logger: Logger
    private let start: NIODeadline
    private var entrance: Entrance
    private var tally: ConnectionTally
    /// Lines about suspicious requests that one address may cause.
    private var noise = LoginLimit()
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var whenEmpty: [EventLoopPromise<Void>] = []
    private var isStopping = false

    init(_ settings: ListenerSettings, _ gatekeeper: Gatekeeper, _ reception: any Reception, _ logger: Logger) {
        self.settings = settings
        self.gatekeeper = gatekeeper
        self.reception = reception
        self.logger = logger
        start = .now()
        entrance = Entrance(settings)
        tally = ConnectionTally(settings.limits)
    }

    private var now: Duration { .nanoseconds((NIODeadline.now() - start).nanoseconds) }

    /// Lets a connection in, unless there are too many.
    func enter(_ connection: Connection) -> Bool {
        let isProxy = settings.isBehindProxy && (connection.address?.isLoopback ?? false)
        guard !isStopping, tally.enter(connection.counted, isProxy: isProxy) else {
            logger.debug("too many connections", metadata: ["address": "\(connection.origin.address)"])
            return false
        }
        connections[ObjectIdentifier(connection)] = connection
        return true
    }

    func leave(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        tally.leave(connection.counted)
        if connections.isEmpty { for promise in whenEmpty { promise.succeed() } }
    }

    /// Decides about a request, and logs what an owner should know.
    func entry(_ head: RequestHead, _ connection: Connection) -> Entry {
        let entry = entrance.entry(head, from: connection.origin, now: now) { gatekeeper.token(Array($0.utf8)) }
        guard case .refused(let refusal) = entry, refusal.isSuspicious else { return entry }
        let address = entrance.client(head, connection.origin)
        if noise.wait(address, now: now) == nil {
            noise.failed(address, now: now)
            logger.warning(
                "a request was refused", metadata: ["address": "\(address)", "reason": "\(refusal.reason)"])
        }
        return entry
    }

    /// Closes the connections of tokens that were taken back.
    func closeRevoked() {
        for connection in Array(connections.values) {
            guard let token = connection.token, !gatekeeper.isValid(token) else { continue }
            logger.info("a token was taken back", metadata: ["token": "\(token.id)"])
            connection.end(CloseCode.policy)
        }
    }

    /// Ends all connections, and lets in no more.
    func stop(_ promise: EventLoopPromise<Void>) {
        isStopping = true
        guard !connections.isEmpty else { return promise.succeed() }
        whenEmpty.append(promise)
        for connection in Array(connections.values) { connection.end(CloseCode.goingAway) }
    }

    /// Ends them at once.
    func drop() {
        for connection in Array(connections.values) { connection.channel.close(promise: nil) }
    }
}

/// One connection, on the event loop.
final class Connection {
    let channel: any Channel
    let origin: RequestOrigin
    /// The address of the other side; `nil` for a Unix socket.
    let address: IPAddress?
    /// The decision about its request, made before it became a WebSocket or did not.
    var entry: Entry?
    /// The token by which it came in.
    var token: AccessToken?
    /// Ends a WebSocket in order.
    var close: ((UInt16) -> Void)?
    /// True while a request is being answered.
    var isAnswering = false

    init(_ channel: any Channel, isUnix: Bool) {
        self.channel = channel
        let text = channel.remoteAddress?.ipAddress
        address = isUnix ? nil : text.flatMap { IPAddress($0) }
        origin = RequestOrigin(
            isOwnUser: isUnix, address: isUnix ? "this machine" : text ?? "unknown",
            local: channel.localAddress?.ipAddress)
    }

    var counted: String? { origin.isOwnUser ? nil : address?.counted ?? "unknown" }

    /// Ends it for a reason: a WebSocket says why, an answer is still given.
    func end(_ code: UInt16) {
        if let close {
            close(code)
        } else if !isAnswering {
            channel.close(promise: nil)
        }
    }
}
