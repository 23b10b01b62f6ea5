extension Exchange {
    /// Plays a handshake to its end, in either role.
    ///
    /// - Parameters:
    ///   - first: the step that begins it: the initiator's own, or the responder's answer to the first message.
    ///   - willSend: called before the message of a step is sent; the message is left out where it returns `false`.
    ///   - next: waits for the next message of the peer, and handles it.
    package func playHandshake(
        from first: HandshakeStep, isolation: isolated (any Actor)? = #isolation,
        willSend: (HandshakeStep) async throws -> Bool = { _ in true }, next: () async throws -> HandshakeStep
    ) async throws -> EstablishedSession {
        var step = first
        while true {
            if let offer = step.offer { manager.observer?.offers(offer) }
            let isSent = try await willSend(step)
            if isSent, let message = step.send { try await send(message) }
            if let established = step.established { return established }
            step = try await next()
        }
    }

    /// Sends a message of a handshake.
    package func send(_ message: HandshakeMessage, reliable: Bool = true) async throws {
        try await send(
            message.payload, opcode: message.opcode.rawValue, protocolID: .secureChannel, reliable: reliable)
    }

    /// Sends a status report.
    package func send(_ report: StatusReport, reliable: Bool = true) async throws {
        try await send(HandshakeMessage(.statusReport, report.encoded()), reliable: reliable)
    }
}

extension HandshakeMessage {
    /// The message as it came in.
    ///
    /// - Throws: `SecureChannelError` if it belongs to another protocol.
    package init(_ message: ReceivedMessage) throws(SecureChannelError) {
        guard message.protocolID == .secureChannel, let opcode = SecureChannelOpcode(rawValue: message.opcode) else {
            throw SecureChannelError(.malformed, "a message of another protocol in a handshake")
        }
        self.init(opcode, message.payload)
    }
}

extension SecureSessionParameters {
    /// The result of a handshake, with the address at which the peer was reached.
    package init(_ established: EstablishedSession, address: PeerAddress) {
        self.init(
            localSessionID: established.localSessionID, peerSessionID: established.peerSessionID,
            role: established.role, keys: established.keys, localNodeID: established.localNodeID,
            peerNodeID: established.peerNodeID, reliability: established.peerParameters.reliability, address: address)
    }
}
