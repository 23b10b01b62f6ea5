package import MatterBase

/// Announces that a write or invoke follows in the same exchange within a time (Matter core specification 10.7.8).
package struct TimedRequest: InteractionMessage {
    package static let opcode = InteractionModelOpcode.timedRequest

    /// Milliseconds.
    package var timeout: UInt16

    package var members: [TLVElement] { [.unsigned(0, timeout)] }
}

extension TimedRequest {
    package init(fields: TLVFields) throws(TLVError) {
        timeout = try fields.unsigned(0)
    }
}

extension TimedRequest {
    /// - Throws: if a message is not the go-ahead for the second half of a timed interaction.
    static func checkAnswer(opcode: UInt8, payload: [UInt8]) throws(InteractionError) {
        guard opcode == StatusResponse.opcode.rawValue else { throw .unexpected(opcode, waitingFor: .statusResponse) }
        let status = try StatusResponse(decoding: payload).status
        guard status == .success else { throw .refused(status, .timedRequest) }
    }
}
