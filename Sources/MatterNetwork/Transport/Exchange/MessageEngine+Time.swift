import MatterCrypto

/// The timer events that become due.
extension MessageEngine {
    /// When ``tick(now:)`` has work to do.
    package var nextDeadline: Instant? { exchanges.nextDeadline }

    /// Sends acknowledgements and retransmissions that are due.
    package mutating func tick(now: Instant) -> [Action] {
        var actions: [Action] = []
        for key in exchanges.takeDue(now: now) {
            // An attribute that is set again gets its next deadline; it was due for one of both.
            exchanges[key] = exchanges[key]
            if let pending = exchanges[key]?.pendingAck, pending.dueAt <= now {
                exchanges[key]?.pendingAck = nil
                exchanges[key]?.lastAcknowledged = pending.counter
                actions += standaloneAck(pending.counter, on: key)
            }
            if let inFlight = exchanges[key]?.inFlight, inFlight.nextAt <= now {
                actions += retransmit(inFlight, on: key, now: now)
            }
            removeIfDone(key)
        }
        return actions
    }

    private mutating func retransmit(
        _ message: ExchangeState.InFlight, on key: ExchangeKey, now: Instant
    ) -> [Action] {
        guard let session = sessions[key.session], message.transmissions < RetransmissionSchedule.maximumTransmissions
        else {
            exchanges[key]?.inFlight = nil
            exchanges[key]?.abandoned = message
            // Where it has arrived, the peer's work is all that is missing.
            return message.acknowledgedBy.isEmpty ? [.failed(key)] : []
        }
        let targets = session.addresses.filter { !message.acknowledgedBy.contains($0) }
        var message = message
        message.transmissions += 1
        retransmissions += 1
        message.nextAt = now + wait(after: message.transmissions, on: session, now: now)
        exchanges[key]?.inFlight = message
        exchanges[key]?.report.transmissions = message.transmissions
        exchanges[key]?.report.noteDatagrams(to: targets)
        return targets.map { .transmit(message.datagram, to: $0) }
    }

    mutating func wait(after transmissions: Int, on session: SessionState, now: Instant) -> Duration {
        // Without randomness the schedule still holds, merely without its jitter.
        if jitter.count < 2 { jitter = (try? random.bytes(Self.jitterStock)) ?? [] }
        let word = jitter.suffix(2).reduce(0) { $0 << 8 | UInt32($1) }
        jitter = jitter.dropLast(2)
        return RetransmissionSchedule.wait(
            after: transmissions, interval: session.retransmissionInterval(now: now), jitter: Double(word) / 65_535)
    }
}
