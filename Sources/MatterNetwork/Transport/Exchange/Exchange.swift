/// A conversation with a peer: a few messages to and fro, each of them reliable.
package struct Exchange: Sendable {
    package let manager: ExchangeManager
    package let key: ExchangeKey

    /// The session that the exchange runs on.
    package var session: SessionReference { key.session }

    /// Queues a message for sending; it does not wait for the acknowledgement.
    package func send(
        _ payload: [UInt8], opcode: UInt8, protocolID: ProtocolID, reliable: Bool = true
    ) async throws {
        try await manager.send(payload, opcode: opcode, protocolID: protocolID, reliable: reliable, on: key)
    }

    /// The next message of the peer.
    ///
    /// - Parameter afterAcknowledgement: how long the answer may take once our message is acknowledged.
    /// - Throws: ``TransportError`` with a report if the deadline passes or our message was not acknowledged,
    ///   `CancellationError`.
    package func receive(
        until deadline: Instant, afterAcknowledgement: Duration? = nil
    ) async throws -> ReceivedMessage {
        try await manager.receive(on: key, until: deadline, afterAcknowledgement: afterAcknowledgement)
    }

    /// On a judged session: the message is one to go on with, and its sender the peer.
    package func accept(_ message: ReceivedMessage) async { await manager.accept(message, on: key) }

    /// On a judged session: acknowledges a message without going over to its sender.
    package func acknowledge(_ message: ReceivedMessage) async { await manager.acknowledge(message, on: key) }

    /// Ends the exchange with a last message to every address that was tried, whatever is in flight.
    func hangUp(_ payload: [UInt8], opcode: UInt8, protocolID: ProtocolID) async {
        await manager.hangUp(payload, opcode: opcode, protocolID: protocolID, on: key)
    }

    /// Sends the last reliable message again, byte for byte, after it was given up.
    package func resend() async { await manager.resend(on: key) }

    /// The attempts and answers so far.
    package func report() async -> ExchangeReport? { await manager.report(of: key) }

    /// Waits until the peer has the last message, or the exchange is gone; until the deadline at the latest.
    package func drain(until deadline: Instant) async { await manager.drain(key, until: deadline) }

    /// Ends the exchange; what is owed to the peer is still sent.
    package func close() async { await manager.close(key) }

    /// Drops the exchange together with whatever is in flight.
    package func abandon() async { await manager.abandon(key) }
}
