/// A message that may open an exchange with a server, decoded.
package enum InteractionRequest: Hashable, Sendable {
    case read(ReadRequest)
    case subscribe(SubscribeRequest)
    case write(WriteRequest)
    case invoke(InvokeRequest)
    case timed(TimedRequest)
    /// A report for a subscription of ours.
    case report(ReportData)

    /// - Throws: ``InteractionError/Code/unexpectedMessage`` for a message that is only ever an answer.
    package init(opcode: UInt8, payload: [UInt8]) throws(InteractionError) {
        switch InteractionModelOpcode(rawValue: opcode) {
        case .readRequest: self = .read(try ReadRequest(decoding: payload))
        case .subscribeRequest: self = .subscribe(try SubscribeRequest(decoding: payload))
        case .writeRequest: self = .write(try WriteRequest(decoding: payload))
        case .invokeRequest: self = .invoke(try InvokeRequest(decoding: payload))
        case .timedRequest: self = .timed(try TimedRequest(decoding: payload))
        case .reportData: self = .report(try ReportData(decoding: payload))
        case .statusResponse, .subscribeResponse, .writeResponse, .invokeResponse, nil:
            throw .unexpected(opcode, "a message with opcode \(opcode) cannot open an exchange")
        }
    }
}
