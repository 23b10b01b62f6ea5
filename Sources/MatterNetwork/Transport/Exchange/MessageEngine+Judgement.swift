/// Messages of a handshake that we began. Anyone who saw our message can answer it in the peer's name, with any counter
/// and from any address, so that nothing counts before the reader has accepted it.
extension MessageEngine {
    /// Shows a message to the reader, and changes nothing that a forged one could spoil.
    mutating func submit(
        _ header: ProtocolHeader, _ payload: [UInt8], counter: UInt32, on key: ExchangeKey, from address: PeerAddress,
        now: Instant
    ) throws(TransportError) -> [Action] {
        guard var exchange = exchanges[key], let session = sessions[key.session] else { return [] }
        if exchange.accepted.contains(.init(opcode: header.opcode, payload: payload)) {
            // The peer has missed our acknowledgement. The counter says nothing: a forged one may be the same.
            guard header.needsAck else { return [] }
            if exchange.pendingAck?.counter == counter {
                exchange.pendingAck = nil
                exchange.lastAcknowledged = counter
                exchanges[key] = exchange
            }
            return standaloneAck(counter, on: key, to: address)
        }
        let waiting = exchange.inFlight
        if let acknowledged = header.acknowledged {
            guard exchange.sent.contains(acknowledged) else {
                throw .malformed("a message that acknowledges what was not sent")
            }
        } else if let waiting, !waiting.acknowledgedBy.contains(address) {
            throw .malformed("a message that does not acknowledge the one before it")
        }
        exchange.lastHeard = now
        guard header.isStandaloneAck else {
            exchanges[key] = exchange
            let message = ReceivedMessage(
                protocolID: header.protocolID, opcode: header.opcode, payload: payload, from: address,
                counter: counter, needsAck: header.needsAck && !isReliable(address), acknowledged: header.acknowledged,
                isLate: header.acknowledged.map { $0 != exchange.sent.last } ?? false)
            return [.deliver(key, message, opened: false)]
        }
        let last = waiting ?? exchange.abandoned
        guard last?.counter == header.acknowledged else {
            exchanges[key] = exchange
            return []
        }
        // It stops the repetitions to its own address, and to no other.
        exchange.report.acknowledged = true
        exchange.inFlight?.acknowledgedBy.insert(address)
        if let inFlight = exchange.inFlight, session.addresses.allSatisfy(inFlight.acknowledgedBy.contains) {
            exchange.abandoned = inFlight
            exchange.inFlight = nil
        }
        exchanges[key] = exchange
        return [.acknowledged(key)]
    }

    /// The reader has found a message to be one to go on with: its sender is the peer from now on, it is acknowledged,
    /// and our message before it needs no repetition.
    package mutating func accept(_ message: ReceivedMessage, on key: ExchangeKey, now: Instant) -> [Action] {
        guard var exchange = exchanges[key], sessions[key.session]?.isJudged ?? false else { return [] }
        var actions: [Action] = []
        exchange.accepted.append(.init(opcode: message.opcode, payload: message.payload))
        exchange.inFlight = nil
        exchange.abandoned = nil
        exchange.report.acknowledged = true
        sessions[key.session]?.addresses = [message.from]
        sessions[key.session]?.lastHeard = now
        if message.needsAck {
            if let earlier = exchange.pendingAck { actions += standaloneAck(earlier.counter, on: key) }
            exchange.pendingAck = .init(
                counter: message.counter, dueAt: now + RetransmissionSchedule.standaloneAckDelay)
        }
        exchanges[key] = exchange
        return actions
    }

    /// Acknowledges a message without going over to its sender.
    package mutating func acknowledge(_ message: ReceivedMessage, on key: ExchangeKey) -> [Action] {
        guard exchanges[key] != nil else { return [] }
        exchanges[key]?.accepted.append(.init(opcode: message.opcode, payload: message.payload))
        return message.needsAck ? standaloneAck(message.counter, on: key, to: message.from) : []
    }

    /// Ends an exchange with a last message to every address that was tried, whatever is in flight.
    mutating func hangUp(
        _ payload: [UInt8], opcode: UInt8, protocolID: ProtocolID, on key: ExchangeKey, now: Instant
    ) throws -> [Action] {
        guard let exchange = exchanges[key] else { return [] }
        exchanges[key]?.inFlight = nil
        sessions[key.session]?.addresses = exchange.report.addresses
        return try send(payload, opcode: opcode, protocolID: protocolID, on: key, now: now) + close(key, now: now)
    }
}
