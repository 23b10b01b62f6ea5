import Glibc
package import MatterCrypto

/// Sessions, exchanges and reliability as a pure state machine: datagrams, sends and time in, actions out
/// (Matter core specification 4.6, 4.10 and 4.12).
///
/// It serves both roles and knows nothing of sockets or clocks. The caller performs the actions in order and calls
/// ``tick(now:)`` no later than ``nextDeadline``.
package struct MessageEngine: Sendable {
    /// An action for the caller.
    package enum Action: Sendable {
        case transmit([UInt8], to: PeerAddress)
        /// A new message of an exchange; `opened` if it began one.
        case deliver(ExchangeKey, ReceivedMessage, opened: Bool)
        /// The peer has the last reliable message of the exchange.
        case acknowledged(ExchangeKey)
        /// The last reliable message was given up.
        case failed(ExchangeKey)
        /// A message to a group of ours.
        case deliverGroupMessage(GroupMessage)
        /// An incoming datagram came to nothing; for logs.
        case dropped(TransportError, from: PeerAddress)
    }

    /// True if a message of this protocol and opcode may begin an exchange with us.
    package typealias Admission = @Sendable (_ protocolID: ProtocolID, _ opcode: UInt8, _ isSecure: Bool) -> Bool

    /// Idle unsecured sessions that are remembered, of those that we and that others began.
    private static let idleInitiators = 8
    private static let idleResponders = 64

    let random: any RandomSource
    let admission: Admission
    /// The promises of the link under this engine.
    let link: LinkProperties
    var sessions: [SessionReference: SessionState] = [:]
    /// The unsecured ones among the sessions: there are few at a time.
    private var unsecured: Set<SessionReference> = []
    var exchanges = ExchangeTable()
    /// The keys of our groups, by their session ids.
    var groupReceptions: [UInt16: [GroupReception]] = [:]
    /// The counters of those who have sent to our groups.
    var groupSenders: [GroupSender: ReceptionWindow] = [:]
    private var unsecuredCounter: MessageCounter
    private(set) var nextExchangeID: UInt16
    /// Random bytes for the pauses before retransmissions, two for each.
    var jitter: [UInt8]
    /// How many messages were sent again.
    var retransmissions: UInt64 = 0
    static let jitterStock = 16

    /// - Parameters:
    ///   - link: what carries the messages. On a reliable link nothing is acknowledged or sent again.
    ///   - unsecuredCounter: where the counter of unsecured messages begins; at random if `nil`.
    ///   - admission: what a peer may begin; a client that serves nothing admits nothing.
    package init(
        link: LinkProperties = .udp, random: any RandomSource, unsecuredCounter: UInt32? = nil,
        admission: @escaping Admission
    ) throws(CryptoError) {
        self.link = link
        self.random = random
        self.admission = admission
        // In one call, as each is one of the system's.
        let bytes = try random.bytes(MessageCounter.initialLength + 2 + Self.jitterStock)
        let initial = unsecuredCounter ?? MessageCounter.initial(bytes.prefix(MessageCounter.initialLength))
        self.unsecuredCounter = MessageCounter(initial: initial, rollsOver: true)
        let rest = bytes.dropFirst(MessageCounter.initialLength)
        nextExchangeID = rest.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
        jitter = Array(rest.dropFirst(2))
    }

    // MARK: Sessions

    /// Begins an unsecured session for one handshake that we initiate.
    ///
    /// - Parameters:
    ///   - addresses: candidates; each gets the same datagrams until one of them answers.
    ///   - presumedActive: whether the peer counts as awake before it was heard.
    ///   - isJudged: whether a message counts only once its reader calls ``accept(_:on:now:)``. Until then it changes
    ///     neither addresses nor counters, is not acknowledged, and our own message is repeated on.
    package mutating func openUnsecuredSession(
        to addresses: [PeerAddress], reliability: ReliabilityParameters, presumedActive: Bool, isJudged: Bool = false
    ) throws(CryptoError) -> SessionReference {
        var id: UInt64 = 0
        // The operational range ends at 0xFFFF_FFEF_FFFF_FFFF.
        while id == 0 || id > 0xFFFF_FFEF_FFFF_FFFF
            || sessions[.unsecured(ephemeralNodeID: id, role: .initiator)] != nil
        {
            id = try random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        let reference = SessionReference.unsecured(ephemeralNodeID: id, role: .initiator)
        add(
            reference,
            SessionState(
                unsecuredTo: addresses, reliability: reliability, presumedActive: presumedActive, isJudged: isJudged))
        return reference
    }

    /// A session id that no session of ours uses, for a handshake to offer.
    func unusedSessionID(reserved: Set<UInt16>) throws(CryptoError) -> UInt16 {
        while true {
            let id = try random.bytes(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
            if id != 0, !reserved.contains(id), sessions[.secure(id)] == nil { return id }
        }
    }

    package mutating func install(
        _ parameters: SecureSessionParameters, now: Instant
    ) throws(CryptoError) -> SessionReference {
        let reference = SessionReference.secure(parameters.localSessionID)
        sessions[reference] = try SessionState(
            secure: parameters, initialCounter: try MessageCounter.randomInitial(random), now: now)
        return reference
    }

    /// Forgets a session with all its exchanges, at once and without a message.
    package mutating func remove(_ session: SessionReference) {
        sessions[session] = nil
        unsecured.remove(session)
        for key in exchanges.keys(of: session) { exchanges[key] = nil }
    }

    /// The number of exchanges and of sessions that the engine remembers.
    var exchangeCount: Int { exchanges.count }
    var sessionCount: Int { sessions.count }

    package func contains(_ session: SessionReference) -> Bool { sessions[session] != nil }

    package func contains(_ exchange: ExchangeKey) -> Bool { exchanges[exchange] != nil }

    /// The sessions with a peer.
    func sessions(with address: PeerAddress) -> [SessionReference] {
        sessions.filter { $0.value.addresses.contains(address) }.map(\.key)
    }

    /// The exchanges of a session, in the order in which they began.
    func exchanges(of session: SessionReference) -> [ExchangeKey] { exchanges.keys(of: session) }

    /// Where the peer of a session is: the address it was last heard from, or the first candidate.
    package func address(of session: SessionReference) -> PeerAddress? { sessions[session]?.addresses.first }

    /// The operational node id of the peer of a session; 0 for PASE, `nil` if the session is not secure.
    func peer(of session: SessionReference) -> UInt64? { sessions[session]?.security?.incoming.senderNodeID }

    /// The retransmission parameters that hold for a session.
    package func reliability(of session: SessionReference) -> ReliabilityParameters? { sessions[session]?.reliability }

    /// Takes over the parameters that a peer sent in its handshake.
    package mutating func setReliability(_ reliability: ReliabilityParameters, of session: SessionReference) {
        sessions[session]?.reliability = reliability
    }

    /// The longest that a reliable message on this session may wait for its acknowledgement.
    func longestDelivery(on session: SessionReference, now: Instant) -> Duration {
        guard let state = sessions[session], !isReliable(state) else { return .zero }
        // A peer that is awake now may fall asleep before the last transmission.
        return RetransmissionSchedule.longestTotal { state.retransmissionInterval(now: now + $0) }
    }

    /// Adds a candidate address to an unsecured session that has not been answered; whatever is in flight goes there
    /// at once, unchanged.
    mutating func addAddress(_ address: PeerAddress, to session: SessionReference) -> [Action] {
        guard case .unsecured(_, .initiator) = session, var state = sessions[session], state.lastHeard == nil,
            !state.addresses.contains(address)
        else { return [] }
        state.addresses.append(address)
        sessions[session] = state
        var actions: [Action] = []
        for key in exchanges.keys(of: session) {
            guard let inFlight = exchanges[key]?.inFlight ?? exchanges[key]?.abandoned else { continue }
            exchanges[key]?.report.noteDatagrams(to: [address])
            actions.append(.transmit(inFlight.datagram, to: address))
        }
        return actions
    }

    // MARK: Exchanges

    package mutating func openExchange(on session: SessionReference) throws(TransportError) -> ExchangeKey {
        guard sessions[session] != nil else { throw TransportError(.closed, "the session is closed") }
        var key: ExchangeKey
        repeat {
            key = ExchangeKey(session: session, exchangeID: takeExchangeID(on: session), role: .initiator)
        } while exchanges[key] != nil
        exchanges[key] = ExchangeState()
        return key
    }

    mutating func takeExchangeID(on session: SessionReference? = nil) -> UInt16 {
        if let session, let id = sessions[session]?.nextExchangeID {
            sessions[session]?.nextExchangeID = id &+ 1
            return id
        }
        defer { nextExchangeID &+= 1 }
        return nextExchangeID
    }

    /// The owner is done with an exchange. What it still owes the peer (acknowledgements, retransmissions) goes on.
    package mutating func close(_ key: ExchangeKey, now: Instant) -> [Action] {
        guard var exchange = exchanges[key] else { return [] }
        var actions: [Action] = []
        if let pending = exchange.pendingAck {
            exchange.pendingAck = nil
            actions += standaloneAck(pending.counter, on: key)
        }
        exchange.isClosing = true
        exchanges[key] = exchange
        removeIfDone(key)
        return actions
    }

    /// True if every exchange has come to its end: nothing to acknowledge, nothing in flight.
    package var isDrained: Bool { exchanges.isDrained }

    /// Forgets an exchange at once, with whatever is in flight on it.
    package mutating func abandon(_ key: ExchangeKey) {
        exchanges[key] = nil
        if isIdleUnsecured(key.session, .initiator) { forget(key.session) }
    }

    /// The attempts and answers on an exchange.
    package func report(of key: ExchangeKey, now: Instant) -> ExchangeReport? {
        guard let exchange = exchanges[key] else { return nil }
        var report = exchange.report
        report.lastHeard = exchange.lastHeard.map { now - $0 }
        report.sessionLastHeard = sessions[key.session]?.lastHeard.map { now - $0 }
        return report
    }

    /// Sends a message; everything but acknowledgements and CloseSession is reliable. An exchange has one reliable
    /// message in flight at a time.
    package mutating func send(
        _ payload: [UInt8], opcode: UInt8, protocolID: ProtocolID, reliable: Bool = true, on key: ExchangeKey,
        now: Instant
    ) throws -> [Action] {
        guard var exchange = exchanges[key], let session = sessions[key.session], !exchange.isClosing else {
            throw TransportError(.closed, "the exchange is closed")
        }
        let isReliable = isReliable(session)
        let needsAck = reliable && !isReliable
        guard !needsAck || exchange.inFlight == nil else {
            throw TransportError(.messageInFlight, "the message before this one is not acknowledged yet")
        }
        let acknowledged = exchange.pendingAck?.counter ?? exchange.lastAcknowledged
        exchange.pendingAck = nil
        exchange.lastAcknowledged = acknowledged
        let header = ProtocolHeader(
            isFromInitiator: key.role == .initiator, needsAck: needsAck, acknowledged: acknowledged, opcode: opcode,
            exchangeID: key.exchangeID, protocolID: protocolID)
        let (datagram, counter) = try seal(header, payload, on: key.session)
        try checkSize(datagram)
        if session.isJudged { exchange.sent.append(counter) }
        exchange.report.begin()
        exchange.report.noteDatagrams(to: session.addresses)
        exchange.abandoned = nil
        if needsAck {
            exchange.inFlight = ExchangeState.InFlight(
                datagram: datagram, counter: counter, transmissions: 1, sentAt: now,
                nextAt: now + wait(after: 1, on: session, now: now))
        }
        // A reliable link delivers; from here on only the peer's work is missing.
        if isReliable { exchange.report.acknowledged = true }
        exchanges[key] = exchange
        return session.addresses.map { .transmit(datagram, to: $0) } + (isReliable ? [.acknowledged(key)] : [])
    }

    /// Sends the last reliable message of an exchange once more, byte for byte, although it was given up: a live
    /// peer recognises it and only acknowledges.
    ///
    /// - Parameter addresses: where it goes; all of the session's if `nil`.
    package mutating func resend(on key: ExchangeKey, to addresses: [PeerAddress]? = nil) -> [Action] {
        guard let exchange = exchanges[key], let message = exchange.inFlight ?? exchange.abandoned,
            let targets = addresses ?? sessions[key.session]?.addresses
        else { return [] }
        exchanges[key]?.report.transmissions += 1
        exchanges[key]?.report.noteDatagrams(to: targets)
        return targets.map { .transmit(message.datagram, to: $0) }
    }

    /// The kernel refused to send a datagram. A message that could be sent to none of its addresses has failed, except
    /// where a firewall dropped it (EPERM): some drop only now and then, so that counts as a lost datagram.
    mutating func noteSendFailure(of datagram: [UInt8], to address: PeerAddress, errno: Int32) -> [Action] {
        guard let (key, exchange) = exchanges.first(where: { $0.inFlight?.datagram == datagram }),
            let session = sessions[key.session]
        else { return [] }
        var report = exchange.report
        report.sendFailures[address] = errno
        report.refusals += 1
        exchanges[key]?.report = report
        guard report.isUnsent,
            session.addresses.allSatisfy({ report.sendFailures[$0].map { $0 != EPERM } ?? false })
        else { return [] }
        exchanges[key]?.inFlight = nil
        exchanges[key]?.abandoned = exchange.inFlight
        removeIfDone(key)
        return [.failed(key)]
    }

    // MARK: Sealing

    /// True if messages with a peer arrive once and in order, so that neither side acknowledges or repeats them.
    func isReliable(_ address: PeerAddress) -> Bool { link.isReliable || address.isReliable }

    private func isReliable(_ session: SessionState) -> Bool {
        session.addresses.first.map(isReliable) ?? link.isReliable
    }

    func checkSize(_ datagram: [UInt8]) throws(TransportError) {
        guard datagram.count <= link.largestMessage else {
            throw TransportError(
                .messageTooLarge, "a message of \(datagram.count) bytes exceeds the \(link.largestMessage) of the link")
        }
    }

    /// An acknowledgement by itself. It is neither acknowledged nor repeated.
    ///
    /// - Parameter target: where it goes; the addresses of the session if `nil`.
    mutating func standaloneAck(_ counter: UInt32, on key: ExchangeKey, to target: PeerAddress? = nil) -> [Action] {
        let header = ProtocolHeader(
            isFromInitiator: key.role == .initiator, needsAck: false, acknowledged: counter,
            opcode: SecureChannelOpcode.standaloneAck.rawValue, exchangeID: key.exchangeID, protocolID: .secureChannel)
        // A session that cannot send any more cannot acknowledge either; the peer will find out by itself.
        guard let (datagram, _) = try? seal(header, [], on: key.session), let session = sessions[key.session] else {
            return []
        }
        return (target.map { [$0] } ?? session.addresses).map { .transmit(datagram, to: $0) }
    }

    private mutating func seal(
        _ inner: ProtocolHeader, _ payload: [UInt8], on reference: SessionReference
    ) throws -> (datagram: [UInt8], counter: UInt32) {
        guard let session = sessions[reference] else { throw TransportError(.closed, "the session is closed") }
        let plaintext = inner.encoded() + payload
        switch reference {
        case .unsecured(let ephemeral, let role):
            let counter = try unsecuredCounter.take()
            let header = MessageHeader(
                sessionID: 0, counter: counter, source: role == .initiator ? ephemeral : nil,
                destination: role == .initiator ? .none : .node(ephemeral))
            return (header.encoded() + plaintext, counter)
        case .secure:
            guard var security = session.security else { throw TransportError(.closed, "the session has no keys") }
            let counter = try security.counter.take()
            sessions[reference]?.security = security
            let header = MessageHeader(sessionID: security.peerSessionID, counter: counter)
            return (try security.outgoing.seal(header: header, plaintext: plaintext), counter)
        }
    }

    // MARK: Endings

    mutating func removeIfDone(_ key: ExchangeKey) {
        guard let exchange = exchanges[key], exchange.isClosing, exchange.isDrained else { return }
        exchanges[key] = nil
        guard isIdleUnsecured(key.session, .initiator) else { return }
        if sessions[key.session]?.lastHeard == nil {
            forget(key.session)
        } else {
            limitIdleUnsecured(.initiator, keeping: key.session)
        }
    }

    private func isIdleUnsecured(_ session: SessionReference, _ role: Role) -> Bool {
        guard case .unsecured(_, role) = session else { return false }
        return exchanges.isEmpty(session)
    }

    /// Unsecured sessions without an exchange are kept for peers that missed our last acknowledgement and repeat
    /// themselves. Strangers may open them at will, so only a few are remembered.
    mutating func limitIdleUnsecured(_ role: Role, keeping newest: SessionReference) {
        let limit = role == .initiator ? Self.idleInitiators : Self.idleResponders
        let idle = unsecured.filter {
            // One of ours that was never answered has just been opened, and is about to be used.
            $0 != newest && isIdleUnsecured($0, role) && (role == .responder || sessions[$0]?.lastHeard != nil)
        }
        guard idle.count >= limit else { return }
        let oldest = idle.min { left, right in
            guard let leftHeard = sessions[left]?.lastHeard else { return true }
            guard let rightHeard = sessions[right]?.lastHeard else { return false }
            return leftHeard < rightHeard
        }
        if let oldest { forget(oldest) }
    }

    private mutating func forget(_ session: SessionReference) {
        sessions[session] = nil
        unsecured.remove(session)
    }

    /// Keeps an unsecured session.
    mutating func add(_ session: SessionReference, _ state: SessionState) {
        sessions[session] = state
        unsecured.insert(session)
    }
}
