package import MatterBase

/// Ends an interaction, or asks for its next message (Matter core specification 10.7.1).
package struct StatusResponse: InteractionMessage {
    package static let opcode = InteractionModelOpcode.statusResponse

    package var status: IMStatus

    package init(_ status: IMStatus) { self.status = status }

    package init(fields: TLVFields) throws(TLVError) {
        status = IMStatus(rawValue: try fields.unsigned(0))
    }

    package var members: [TLVElement] { [.unsigned(0, status.rawValue)] }
}

extension InteractionError {
    /// The error for a message that came instead of an answer: the peer's status if it is one.
    static func insteadOf(
        _ expected: InteractionModelOpcode, to request: InteractionModelOpcode, opcode: UInt8, payload: [UInt8]
    ) -> InteractionError {
        guard opcode == InteractionModelOpcode.statusResponse.rawValue else {
            return .unexpected(opcode, waitingFor: expected)
        }
        do {
            let status = try StatusResponse(decoding: payload).status
            return status == .success
                ? .violation("a StatusResponse of SUCCESS where a \(expected) was due", .statusResponse)
                : .refused(status, request)
        } catch {
            return error
        }
    }
}
