import MatterSecureChannel
import MatterTransport

/// Plays one handshake over one exchange to its end.
struct HandshakeRun: Sendable {
    let exchange: Exchange
    /// How long the peer's cryptography may take once it has our first message.
    let processing: Duration
    /// The same for later messages. The peer has taken up this handshake and has the costly part before it; a new one
    /// would only find it busy.
    let laterProcessing: Duration
    let deadline: Instant

    /// - Parameter from: becomes where the last message came from.
    func play(_ initiator: any Handshake, from: inout PeerAddress?) async throws -> EstablishedSession {
        var machine = initiator
        var answer: HandshakeMessage?
        do {
            var step = try machine.start()
            while true {
                if let message = step.send {
                    try await exchange.send(
                        message.payload, opcode: message.opcode.rawValue, protocolID: .secureChannel)
                }
                if let established = step.established { return established }
                let message = try await receive(after: answer, from: &from)
                answer = message
                step = try machine.handle(message)
                if let parameters = machine.peerParameters {
                    await exchange.manager.setReliability(parameters.reliability, of: exchange.session)
                }
            }
        } catch let error as SecureChannelError {
            if let reply = error.reply {
                // The peer should know; whether it hears it does not change our result.
                try? await exchange.send(
                    reply.encoded(), opcode: SecureChannelOpcode.statusReport.rawValue, protocolID: .secureChannel)
            }
            throw error
        }
    }

    /// The next message of the peer. One of several addresses may be another device's by now, which turns down our
    /// first message as well, and whose counters hide the peer's repetitions from the message layer.
    private func receive(after last: HandshakeMessage?, from: inout PeerAddress?) async throws -> HandshakeMessage {
        while true {
            let received = try await exchange.receive(
                until: deadline, afterAcknowledgement: last == nil ? processing : laterProcessing)
            guard received.protocolID == .secureChannel, let opcode = SecureChannelOpcode(rawValue: received.opcode)
            else { throw SecureChannelError(.malformed, "a message of another protocol in a handshake") }
            let message = HandshakeMessage(opcode, received.payload)
            if let last, message == last || Self.turnsDownFirst(message) { continue }
            from = received.from
            return message
        }
    }

    /// Whether a status report can only be an answer to the first message of a handshake.
    private static func turnsDownFirst(_ message: HandshakeMessage) -> Bool {
        guard message.opcode == .statusReport, let report = try? StatusReport(decoding: message.payload) else {
            return false
        }
        return report.secureChannelCode == .noSharedTrustRoots || report.busyWait != nil
    }
}
