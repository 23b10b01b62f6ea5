/// A message as it would be sent.
public struct RehearsedMessage: Hashable, Sendable {
    /// The kind of message.
    public let opcode: InteractionModelOpcode
    /// The payload, without the headers.
    public let payload: [UInt8]
}

extension InvokeTransaction {
    /// The requests, to a peer that agrees to each. Nothing is sent, and this transaction stays as it is.
    ///
    /// - Parameter maxPayload: how many bytes a message may hold without its headers.
    /// - Throws: ``InteractionError``.
    public func rehearsed(maxPayload: Int) throws(InteractionError) -> [RehearsedMessage] {
        try MatterModel.rehearsed(self, maxPayload) { opcode in
            opcode == .timedRequest ? StatusResponse(.success).encoded() : nil
        }
    }
}

extension WriteTransaction {
    /// The requests, to a peer that agrees to each. Nothing is sent, and this transaction stays as it is.
    ///
    /// - Parameter maxPayload: how many bytes a message may hold without its headers.
    /// - Throws: ``InteractionError``.
    public func rehearsed(maxPayload: Int) throws(InteractionError) -> [RehearsedMessage] {
        let success = writes.map { AttributeStatusIB(path: $0.path, status: StatusIB(.success)) }
        return try MatterModel.rehearsed(self, maxPayload) { opcode in
            opcode == .timedRequest
                ? StatusResponse(.success).encoded() : WriteResponse(statuses: success).encoded()
        }
    }
}

/// - Parameter answer: the peer's answer to a request; `nil` ends the rehearsal.
private func rehearsed(
    _ transaction: some InteractionTransaction, _ maxPayload: Int, answer: (InteractionModelOpcode) -> [UInt8]?
) throws(InteractionError) -> [RehearsedMessage] {
    var transaction = transaction
    var messages: [RehearsedMessage] = []
    var action = try transaction.start(maxPayload: maxPayload)
    while case .send(let opcode, let payload, let expectsReply) = action {
        messages.append(RehearsedMessage(opcode: opcode, payload: payload))
        guard expectsReply, let answer = answer(opcode) else { break }
        let reply: InteractionModelOpcode = opcode == .timedRequest ? .statusResponse : .writeResponse
        action = try transaction.handle(opcode: reply.rawValue, payload: answer)
    }
    return messages
}
