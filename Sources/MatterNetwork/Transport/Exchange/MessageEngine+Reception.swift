/// The handling of incoming datagrams.
extension MessageEngine {
    /// Processes one datagram.
    package mutating func receive(_ datagram: [UInt8], from address: PeerAddress, now: Instant) -> [Action] {
        do {
            return try receiveChecked(datagram, from: address, now: now)
        } catch {
            return [.dropped(error, from: address)]
        }
    }

    private mutating func receiveChecked(
        _ datagram: [UInt8], from address: PeerAddress, now: Instant
    ) throws(TransportError) -> [Action] {
        let (header, headerLength) = try MessageHeader.decode(datagram)
        guard header.sessionType == .unicast else {
            return try receiveGroupMessage(datagram, header, from: address)
        }
        let reference = try session(for: header, from: address)
        guard var session = sessions[reference] else {
            throw TransportError(.closed, "a message for an unknown session")
        }
        let plaintext =
            try session.security?.incoming.open(header: header, headerLength: headerLength, datagram: datagram)
            ?? Array(datagram[headerLength...])
        let (inner, payload) = try ProtocolHeader.decode(plaintext)
        try checkPlacement(inner, isSecure: session.security != nil)

        let key = ExchangeKey(
            session: reference, exchangeID: inner.exchangeID, role: inner.isFromInitiator ? .responder : .initiator)
        if session.isJudged, let exchange = exchanges[key], !exchange.isClosing {
            return try submit(inner, payload, counter: header.counter, on: key, from: address, now: now)
        }
        guard !session.window.isDuplicate(header.counter) else {
            guard inner.needsAck, !isReliable(address) else { return [] }
            if exchanges[key]?.pendingAck?.counter == header.counter {
                exchanges[key]?.pendingAck = nil
                exchanges[key]?.lastAcknowledged = header.counter
            }
            return standaloneAck(header.counter, on: key)
        }
        if let waiting = exchanges[key]?.inFlight, inner.acknowledged != waiting.counter, !inner.isStandaloneAck {
            // One message in flight per direction: the peer has to acknowledge ours before it says more, and will
            // repeat itself as long as this stays unseen.
            throw .malformed("a message that does not acknowledge the one before it")
        }
        session.window.commit(header.counter)
        if !session.isSettled { session.addresses = [address] }
        if case .unsecured(_, .initiator) = reference, !inner.isStandaloneAck { session.isSettled = true }
        session.lastHeard = now
        sessions[reference] = session
        return accept(inner, payload, counter: header.counter, on: key, from: address, now: now)
    }

    /// The session that a header belongs to; an unknown unsecured initiator gets one.
    private mutating func session(
        for header: MessageHeader, from address: PeerAddress
    ) throws(TransportError) -> SessionReference {
        guard header.isUnsecured else { return .secure(header.sessionID) }
        if case .node(let ephemeral) = header.destination {
            return .unsecured(ephemeralNodeID: ephemeral, role: .initiator)
        }
        guard let ephemeral = header.source else { throw .malformed("an unsecured message without a node id") }
        let reference = SessionReference.unsecured(ephemeralNodeID: ephemeral, role: .responder)
        if sessions[reference] == nil {
            add(reference, SessionState(unsecuredTo: [address], reliability: .standard, presumedActive: true))
            limitIdleUnsecured(.responder, keeping: reference)
        }
        return reference
    }

    /// Handshakes belong on unsecured sessions, everything else on secure ones.
    private func checkPlacement(_ header: ProtocolHeader, isSecure: Bool) throws(TransportError) {
        let opcode = header.protocolID == .secureChannel ? SecureChannelOpcode(rawValue: header.opcode) : nil
        let isHandshake =
            switch opcode {
            case .pbkdfParamRequest, .pbkdfParamResponse, .pake1, .pake2, .pake3, .sigma1, .sigma2, .sigma3,
                .sigma2Resume:
                true
            default: false
            }
        if isSecure {
            guard !isHandshake else { throw .malformed("a handshake message on a secure session") }
        } else {
            guard isHandshake || opcode == .standaloneAck || opcode == .statusReport || opcode == .checkIn else {
                throw .malformed("a message that needs a secure session came without one")
            }
        }
    }

    private mutating func accept(
        _ header: ProtocolHeader, _ payload: [UInt8], counter: UInt32, on key: ExchangeKey, from address: PeerAddress,
        now: Instant
    ) -> [Action] {
        var actions: [Action] = []
        let needsAck = header.needsAck && !isReliable(address)
        let message = ReceivedMessage(
            protocolID: header.protocolID, opcode: header.opcode, payload: payload, from: address)
        guard var exchange = exchanges[key] else {
            guard header.isFromInitiator, !header.isStandaloneAck,
                admission(header.protocolID, header.opcode, isSecure(key.session)), hasRoom(key.session)
            else {
                return needsAck ? standaloneAck(counter, on: key) : []
            }
            var opened = ExchangeState()
            opened.lastHeard = now
            if needsAck {
                opened.pendingAck = .init(counter: counter, dueAt: now + RetransmissionSchedule.standaloneAckDelay)
            }
            exchanges[key] = opened
            return [.deliver(key, message, opened: true)]
        }
        exchange.lastHeard = now
        if let acknowledged = header.acknowledged,
            let waiting = exchange.inFlight ?? exchange.abandoned, waiting.counter == acknowledged
        {
            if waiting.transmissions == 1 { noteRoundTrip(now - waiting.sentAt, on: key.session) }
            exchange.inFlight = nil
            exchange.abandoned = nil
            exchange.report.acknowledged = true
            sessions[key.session]?.lastAcknowledged = now
            actions.append(.acknowledged(key))
        }
        if needsAck {
            // Only one acknowledgement can wait; the older one goes at once.
            if let earlier = exchange.pendingAck { actions += standaloneAck(earlier.counter, on: key) }
            exchange.pendingAck = .init(counter: counter, dueAt: now + RetransmissionSchedule.standaloneAckDelay)
        }
        let deliverable = !header.isStandaloneAck && !exchange.isClosing
        if exchange.isClosing, let pending = exchange.pendingAck {
            exchange.pendingAck = nil
            actions += standaloneAck(pending.counter, on: key)
        }
        exchanges[key] = exchange
        if deliverable { actions.append(.deliver(key, message, opened: false)) }
        removeIfDone(key)
        return actions
    }

    /// False if the peer of a session has begun so many exchanges that are still open that it can only flood us.
    private func hasRoom(_ session: SessionReference) -> Bool {
        exchanges.keys(of: session).count { $0.role == .responder } < Self.mostBegun
    }

    /// The exchanges that a peer may have under way with us on a session: more than any peer needs.
    static var mostBegun: Int { 128 }

    private func isSecure(_ session: SessionReference) -> Bool {
        if case .secure = session { true } else { false }
    }
}
