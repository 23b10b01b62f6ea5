import Glibc
package import MatterCrypto

/// Owns the link and the message engine: the one place where datagrams, timers and waiting callers meet.
///
/// Its executor is the event loop, so that a datagram is received, decrypted and handed over on one thread.
package actor ExchangeManager {
    /// A message that began an exchange with us.
    package struct Incoming: Sendable {
        package let exchange: Exchange
        package let message: ReceivedMessage
    }

    private struct Waiter {
        let id: UInt64
        var deadline: Instant
        /// How long the answer may take once the peer has acknowledged.
        let afterAcknowledgement: Duration?
        let continuation: CheckedContinuation<Result<ReceivedMessage, any Error>, Never>
    }

    /// Messages that wait on one exchange for their reader; a peer that sends more loses them.
    private static let inboxLimit = 32

    private let eventLoop: any EventLoop
    /// The clock of everything that waits for messages.
    package nonisolated let time: any TimeSource
    package nonisolated let unownedExecutor: UnownedSerialExecutor

    var engine: MessageEngine
    private let links: any LinkProvider
    /// The promises of the link that carries the messages.
    package nonisolated let link: LinkProperties
    var socket: (any DatagramLink)?
    private let localPort: UInt16
    /// The port to listen on if it is free.
    var wantedPort: UInt16 = 0
    /// How sessions that go from process to process get more message counters.
    var reservations: [SessionReference: Reservation] = [:]
    private var inboxes: [ExchangeKey: [ReceivedMessage]] = [:]
    private var failures: Set<ExchangeKey> = []
    /// Why sessions are gone whose peers were lost; the owners of a few may still ask.
    private var losses: [SessionReference: TransportError] = [:]
    private static let mostLosses = 64
    private var waiters: [ExchangeKey: Waiter] = [:]
    private var waits = DeadlineQueue<ExchangeKey>()
    private var nextWaiterID: UInt64 = 0
    var reservedSessionIDs: Set<UInt16> = []
    private var timer: (deadline: Instant, task: ScheduledWork)?
    private var isShutDown = false
    /// Who waits for the last acknowledgements and retransmissions.
    private var deliveries: ChangeSignal?
    let trace: (@Sendable (String) -> Void)?
    /// Sees all messages.
    package nonisolated let observer: (any TrafficObserver)?

    /// How many of ``incoming`` may wait to be served: a report of each node of a large house, all at once.
    private static let mostUnserved = 4096
    /// Messages that peers sent without being asked, as far as the admission rule lets them in.
    package nonisolated let incoming: AsyncStream<Incoming>
    private let incomingContinuation: AsyncStream<Incoming>.Continuation

    /// Messages to groups of ours.
    package nonisolated let groupMessages: AsyncStream<GroupMessage>
    private let groupContinuation: AsyncStream<GroupMessage>.Continuation

    /// - Parameters:
    ///   - time: the clock, and the event loop of the link.
    ///   - port: the port to listen on; 0 for any.
    ///   - links: makes the link that carries the messages.
    ///   - unsecuredCounter: where the counter of unsecured messages begins; at random if `nil`.
    ///   - admission: what peers may begin.
    ///   - trace: called with a line for every datagram, if datagrams are traced.
    ///   - observer: sees every message and the keys that open it.
    package init(
        time: any TimeSource = SystemTime(), port: UInt16 = 0, links: any LinkProvider = UDPLinks(),
        random: any RandomSource, unsecuredCounter: UInt32? = nil, admission: @escaping MessageEngine.Admission,
        trace: (@Sendable (String) -> Void)? = nil, observer: (any TrafficObserver)? = nil
    ) throws(CryptoError) {
        self.time = time
        eventLoop = time.eventLoop
        unownedExecutor = eventLoop.asUnownedSerialExecutor()
        self.links = links
        link = links.properties
        engine = try MessageEngine(
            link: links.properties, random: random, unsecuredCounter: unsecuredCounter, admission: admission)
        localPort = port
        self.trace = trace
        self.observer = observer
        (incoming, incomingContinuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Self.mostUnserved))
        (groupMessages, groupContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    // MARK: Sessions

    /// Opens the link now rather than with the first message; returns its port.
    @discardableResult
    package func open() async throws(TransportError) -> UInt16 {
        try await openLink().port
    }

    package func openUnsecuredSession(
        to addresses: [PeerAddress], reliability: ReliabilityParameters = .standard, presumedActive: Bool,
        isJudged: Bool = false
    ) throws(CryptoError) -> SessionReference {
        try engine.openUnsecuredSession(
            to: addresses, reliability: reliability, presumedActive: presumedActive, isJudged: isJudged)
    }

    /// Sets a session id aside for a handshake that is about to offer it.
    package func reserveSessionID() throws(CryptoError) -> UInt16 {
        let id = try engine.unusedSessionID(reserved: reservedSessionIDs)
        reservedSessionIDs.insert(id)
        return id
    }

    /// Gives back a session id that came to nothing.
    package func releaseSessionID(_ id: UInt16) { reservedSessionIDs.remove(id) }

    package func install(_ parameters: SecureSessionParameters) throws(CryptoError) -> SessionReference {
        reservedSessionIDs.remove(parameters.localSessionID)
        losses[.secure(parameters.localSessionID)] = nil
        observer?.established(parameters)
        return try engine.install(parameters, now: time.now)
    }

    package func address(of session: SessionReference) -> PeerAddress? { engine.address(of: session) }

    /// The operational node id of the peer of a session; 0 for PASE, `nil` if the session is not secure.
    func peer(of session: SessionReference) -> UInt64? { engine.peer(of: session) }

    package func setReliability(_ reliability: ReliabilityParameters, of session: SessionReference) {
        engine.setReliability(reliability, of: session)
    }

    func longestDelivery(on session: SessionReference) -> Duration {
        engine.longestDelivery(on: session, now: time.now)
    }

    func addAddress(_ address: PeerAddress, to session: SessionReference) {
        perform(engine.addAddress(address, to: session))
    }

    /// Forgets a session, and tells the tasks that wait on its exchanges.
    package func remove(_ session: SessionReference) {
        remove(session, because: TransportError(.closed, "the session was closed"))
    }

    private func remove(_ session: SessionReference, because error: TransportError) {
        for key in engine.exchanges(of: session) {
            finishWaiting(key, .failure(error))
            inboxes[key] = nil
            failures.remove(key)
        }
        reservations[session] = nil
        engine.remove(session)
        deliveries?.fire()
    }

    /// How many exchanges there are, on all sessions.
    var exchangeCount: Int { engine.exchangeCount }

    /// The traffic so far.
    package var traffic: TrafficCounts {
        TrafficCounts(
            sessions: engine.sessions.keys.count { if case .secure = $0 { true } else { false } },
            retransmissions: engine.retransmissions)
    }

    package func contains(_ session: SessionReference) -> Bool { engine.contains(session) }

    // MARK: Exchanges

    package func openExchange(on session: SessionReference) throws(TransportError) -> Exchange {
        if let loss = losses[session] { throw loss }
        return Exchange(manager: self, key: try engine.openExchange(on: session))
    }

    func send(
        _ payload: [UInt8], opcode: UInt8, protocolID: ProtocolID, reliable: Bool, on key: ExchangeKey
    ) async throws {
        _ = try await openLink()
        failures.remove(key)
        if !reservations.isEmpty { topUp(key.session) }
        perform(
            try engine.send(
                payload, opcode: opcode, protocolID: protocolID, reliable: reliable, on: key, now: time.now))
    }

    func resend(on key: ExchangeKey) {
        failures.remove(key)
        perform(engine.resend(on: key))
    }

    /// Whether a task waits for a message on an exchange.
    func isAwaited(_ key: ExchangeKey) -> Bool { waiters[key] != nil }

    func receive(
        on key: ExchangeKey, until deadline: Instant, afterAcknowledgement: Duration?
    ) async throws -> ReceivedMessage {
        if var inbox = inboxes[key], !inbox.isEmpty {
            let message = inbox.removeFirst()
            inboxes[key] = inbox
            return message
        }
        guard engine.contains(key), !isShutDown else {
            throw losses[key.session] ?? TransportError(.closed, "the session or the exchange was closed")
        }
        if failures.contains(key) { throw undelivered(key) }
        guard waiters[key] == nil else { throw TransportError(.closed, "another task waits on this exchange") }
        nextWaiterID += 1
        let id = nextWaiterID
        let eventLoop = self.eventLoop
        let result: Result<ReceivedMessage, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: .failure(CancellationError()))
                } else {
                    waiters[key] = Waiter(
                        id: id, deadline: deadline, afterAcknowledgement: afterAcknowledgement,
                        continuation: continuation)
                    waits.set(key, to: deadline)
                    if engine.report(of: key, now: time.now)?.acknowledged ?? false { acknowledged(key) }
                    schedule()
                }
            }
        } onCancel: {
            eventLoop.execute { self.assumeIsolated { $0.cancelWaiting(key, id: id) } }
        }
        return try result.get()
    }

    func accept(_ message: ReceivedMessage, on key: ExchangeKey) {
        perform(engine.accept(message, on: key, now: time.now))
    }

    func acknowledge(_ message: ReceivedMessage, on key: ExchangeKey) {
        perform(engine.acknowledge(message, on: key))
    }

    func hangUp(_ payload: [UInt8], opcode: UInt8, protocolID: ProtocolID, on key: ExchangeKey) {
        guard socket?.isOpen ?? false,
            let actions = try? engine.hangUp(payload, opcode: opcode, protocolID: protocolID, on: key, now: time.now)
        else { return abandon(key) }
        inboxes[key] = nil
        failures.remove(key)
        finishWaiting(key, .failure(TransportError(.closed, "the exchange was closed")))
        perform(actions)
    }

    func report(of key: ExchangeKey) -> ExchangeReport? { engine.report(of: key, now: time.now) }

    /// Waits until the peer has the last message of an exchange, or the exchange is gone.
    func drain(_ key: ExchangeKey, until deadline: Instant) async {
        await awaitDelivery(until: deadline) {
            guard let report = report(of: key) else { return true }
            return report.acknowledged || report.transmissions == 0
        }
    }

    /// Waits until something is delivered; looks again after each acknowledgement, and when an exchange ends.
    private func awaitDelivery(until deadline: Instant, _ isDone: () -> Bool) async {
        let changes = deliveries ?? ChangeSignal()
        deliveries = changes
        while true {
            let mark = changes.mark
            guard !isDone(), time.now < deadline, !Task.isCancelled else { return }
            await changes.wait(after: mark, until: deadline, of: time)
        }
    }

    func close(_ key: ExchangeKey) {
        inboxes[key] = nil
        failures.remove(key)
        finishWaiting(key, .failure(TransportError(.closed, "the exchange was closed")))
        perform(engine.close(key, now: time.now))
    }

    func abandon(_ key: ExchangeKey) {
        inboxes[key] = nil
        failures.remove(key)
        finishWaiting(key, .failure(TransportError(.closed, "the exchange was closed")))
        engine.abandon(key)
        deliveries?.fire()
    }

    /// Closes the link. What peers are still owed gets until `deadline`.
    package func shutDown(drainUntil deadline: Instant? = nil) async {
        if let deadline { await awaitDelivery(until: deadline) { engine.isDrained } }
        isShutDown = true
        timer?.task.cancel()
        timer = nil
        for key in waiters.keys.sorted(by: { $0.exchangeID < $1.exchangeID }) {
            finishWaiting(key, .failure(TransportError(.closed, "the controller is shutting down")))
        }
        incomingContinuation.finish()
        groupContinuation.finish()
        await socket?.close()
        socket = nil
    }

    // MARK: Edge

    func openLink() async throws(TransportError) -> any DatagramLink {
        if let socket, socket.isOpen { return socket }
        guard !isShutDown else { throw TransportError(.closed, "the controller is shutting down") }
        let opened = try await newLink()
        // Two callers may have opened one at once; the first stays. So does the end that came meanwhile.
        if let socket, socket.isOpen {
            await opened.close()
            return socket
        }
        guard !isShutDown else {
            await opened.close()
            throw TransportError(.closed, "the controller is shutting down")
        }
        socket = opened
        opened.onLoss { [weak self] peer, error in
            self?.assumeIsolated { $0.lost(peer, error) }
        }
        return opened
    }

    /// A peer is gone for good, and with it the sessions that it had.
    private func lost(_ peer: PeerAddress, _ error: TransportError) {
        trace?("lost \(peer): \(error)")
        if losses.count >= Self.mostLosses { losses = [:] }
        for session in engine.sessions(with: peer) {
            remove(session, because: error)
            losses[session] = error
        }
    }

    private func newLink() async throws(TransportError) -> any DatagramLink {
        let receive: @Sendable ([UInt8], PeerAddress) -> Void = { [weak self] datagram, address in
            self?.assumeIsolated { $0.received(datagram, from: address) }
        }
        if localPort == 0, wantedPort != 0 {
            // Where another process has it, any other one will do.
            do throws(TransportError) {
                return try await links.open(port: wantedPort, on: eventLoop, receive: receive)
            } catch  where error.code == .portInUse {}
        }
        return try await links.open(port: localPort, on: eventLoop, receive: receive)
    }

    private func received(_ datagram: [UInt8], from address: PeerAddress) {
        trace?("<- \(address) \(datagram.count) bytes")
        observer?.received(datagram, from: address, at: socket?.port ?? 0)
        perform(engine.receive(datagram, from: address, now: time.now))
    }

    func perform(_ actions: [MessageEngine.Action]) {
        for action in actions {
            switch action {
            case .transmit(let datagram, let address):
                trace?("-> \(address) \(datagram.count) bytes")
                observer?.sent(datagram, to: address, from: socket?.port ?? 0)
                if let errno = socket?.send(datagram, to: address) {
                    trace?("cannot send to \(address): errno \(errno)")
                    perform(engine.noteSendFailure(of: datagram, to: address, errno: errno))
                }
            case .deliver(let key, let message, let opened):
                if opened {
                    offer(Incoming(exchange: Exchange(manager: self, key: key), message: message))
                } else if waiters[key] != nil {
                    finishWaiting(key, .success(message))
                } else if inboxes[key, default: []].count < Self.inboxLimit {
                    inboxes[key, default: []].append(message)
                }
            case .deliverGroupMessage(let message):
                groupContinuation.yield(message)
            case .acknowledged(let key):
                acknowledged(key)
            case .failed(let key):
                if waiters[key] != nil {
                    finishWaiting(key, .failure(undelivered(key)))
                } else if engine.contains(key) {
                    failures.insert(key)
                }
            case .dropped(let error, let address):
                trace?("dropped a datagram from \(address): \(error)")
            }
        }
        schedule()
    }

    /// Hands over a message that began an exchange. An exchange that is lost here would never be closed.
    private func offer(_ message: Incoming) {
        switch incomingContinuation.yield(message) {
        case .dropped(let lost): abandon(lost.exchange.key)
        case .terminated: abandon(message.exchange.key)
        default: break
        }
    }

    /// From now on the peer has our message, and only its own work stands between us and the answer.
    private func acknowledged(_ key: ExchangeKey) {
        guard let waiter = waiters[key], let allowance = waiter.afterAcknowledgement else { return }
        let deadline = min(waiter.deadline, time.now + allowance)
        waiters[key]?.deadline = deadline
        waits.set(key, to: deadline)
    }

    private func undelivered(_ key: ExchangeKey) -> TransportError {
        let report = engine.report(of: key, now: time.now) ?? ExchangeReport()
        if report.isUnsent {
            return TransportError(.unreachable, "no address could be sent to", report: report)
        }
        return TransportError(
            .notAcknowledged, "\(report.transmissions) transmissions were not acknowledged", report: report)
    }

    // MARK: Time

    private func schedule() {
        deliveries?.fire()
        let earliest =
            switch (engine.nextDeadline, waits.earliest) {
            case (let left?, let right?): min(left, right)
            case (let one, let other): one ?? other
            }
        guard !isShutDown, let earliest else {
            timer?.task.cancel()
            timer = nil
            return
        }
        if let timer, timer.deadline <= earliest { return }
        timer?.task.cancel()
        let task = eventLoop.schedule(at: earliest) { [weak self] in
            self?.assumeIsolated { $0.timerFired() } ?? ()
        }
        timer = (earliest, task)
    }

    private func timerFired() {
        timer = nil
        let now = time.now
        let actions = engine.tick(now: now)
        perform(actions)
        for key in waits.takeDue(now: now) where waiters[key] != nil {
            let report = engine.report(of: key, now: now)
            let error =
                report?.acknowledged ?? false
                ? TransportError(.noReply, "the peer acknowledged but did not answer", report: report)
                : TransportError(.notAcknowledged, "no answer within the time", report: report)
            finishWaiting(key, .failure(error))
        }
        schedule()
    }

    private func cancelWaiting(_ key: ExchangeKey, id: UInt64) {
        guard waiters[key]?.id == id else { return }
        finishWaiting(key, .failure(CancellationError()))
    }

    private func finishWaiting(_ key: ExchangeKey, _ result: Result<ReceivedMessage, any Error>) {
        waits.set(key, to: nil)
        waiters.removeValue(forKey: key)?.continuation.resume(returning: result)
    }
}
