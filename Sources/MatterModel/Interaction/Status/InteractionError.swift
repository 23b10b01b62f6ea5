public import MatterBase

/// Why an interaction failed: the peer refused it, broke the protocol, or the request could not be sent (Matter core specification 8.10).
public struct InteractionError: CodedError, Equatable {
    /// The kind of fault.
    public enum Code: String, ErrorCode {
        /// A message whose encoding or fields are wrong.
        case malformed = "im.malformed"
        /// A message that has no place at this point of the interaction.
        case unexpectedMessage = "im.unexpected-message"
        /// Well-formed messages that contradict each other or the rules of the interaction.
        case protocolViolation = "im.protocol-violation"
        /// More data, or more messages, than one interaction may bring.
        case limitExceeded = "im.limit-exceeded"
        /// The peer answered the whole request with a status.
        case refused = "im.refused"
        /// A report for a subscription that does not exist here.
        case invalidSubscription = "im.invalid-subscription"
        /// A request that contradicts itself; nothing was sent.
        case invalidRequest = "im.invalid-request"
        /// A request that does not fit into the messages it may use; nothing was sent.
        case requestTooLarge = "im.request-too-large"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .invalidRequest, .requestTooLarge: .invalidInput
            case .malformed, .unexpectedMessage, .protocolViolation, .limitExceeded, .refused, .invalidSubscription:
                .refused
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person.
    public var reason: String
    /// The peer's status, for ``Code/refused``.
    public var status: IMStatus?
    /// The opcode of the message at fault.
    package var opcode: UInt8?
    /// The fault of the encoding, for ``Code/malformed``.
    package var underlying: TLVError?

    package init(
        _ code: Code, _ reason: String, status: IMStatus? = nil, opcode: UInt8? = nil, underlying: TLVError? = nil
    ) {
        self.code = code
        self.reason = reason
        self.status = status
        self.opcode = opcode
        self.underlying = underlying
    }

    /// The status that frees the peer from waiting: send it as a ``StatusResponse`` before closing the exchange.
    ///
    /// `nil` where the peer ended the interaction itself, or none has begun.
    package var statusForPeer: IMStatus? {
        switch code {
        case .malformed, .unexpectedMessage, .protocolViolation: .invalidAction
        case .limitExceeded: .resourceExhausted
        case .invalidSubscription: .invalidSubscription
        case .refused, .invalidRequest, .requestTooLarge: nil
        }
    }
}

extension InteractionError {
    init(_ error: TLVError, in message: InteractionModelOpcode) {
        self.init(
            .malformed, "a malformed \(message): \(error)", opcode: message.rawValue, underlying: error)
    }

    static func refused(_ status: IMStatus, _ what: InteractionModelOpcode) -> InteractionError {
        InteractionError(
            .refused, "the peer answered the \(what) with \(status)", status: status,
            opcode: InteractionModelOpcode.statusResponse.rawValue)
    }

    static func unexpected(_ opcode: UInt8, waitingFor expected: InteractionModelOpcode) -> InteractionError {
        let name = InteractionModelOpcode(rawValue: opcode).map { "\($0)" } ?? "message with opcode \(opcode)"
        return InteractionError(.unexpectedMessage, "a \(name) where a \(expected) was due", opcode: opcode)
    }

    static func unexpected(_ opcode: UInt8, _ why: String) -> InteractionError {
        InteractionError(.unexpectedMessage, why, opcode: opcode)
    }

    static func violation(_ reason: String, _ opcode: InteractionModelOpcode) -> InteractionError {
        InteractionError(.protocolViolation, reason, opcode: opcode.rawValue)
    }
}

extension InteractionError {
    /// A value that fits no message is not one that the device has refused.
    public var kind: FailureKind {
        code.kind == .refused ? status.map { FailureKind(status: $0) } ?? .refused : code.kind
    }
}

extension FailureKind {
    /// The meaning of a status of the Interaction Model (Matter core specification 8.10). An attribute that is there and
    /// cannot be written, or cannot be read, is a refusal.
    public init(status: IMStatus) {
        switch status {
        case .unsupportedEndpoint, .unsupportedCluster, .unsupportedAttribute, .unsupportedCommand, .unsupportedEvent:
            self = .unsupported
        default: self = .refused
        }
    }
}
