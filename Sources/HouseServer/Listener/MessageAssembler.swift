/// Puts the frames of a WebSocket (RFC 6455 section 5) together to messages, and finds what breaks the rules. It takes what a
/// client sends.
struct MessageAssembler: Sendable {
    /// A frame, unmasked.
    struct Frame: Sendable {
        var isFinal: Bool
        /// The three bits that extensions would use.
        var hasReservedBits = false
        var opcode: UInt8
        var isMasked = true
        var payload: [UInt8]
    }

    /// The result of a frame.
    enum Outcome: Equatable, Sendable {
        /// Part of a message.
        case none
        case message([UInt8])
        case ping([UInt8])
        case pong
        /// The other side closes, for a reason if it gave one.
        case close(UInt16?)
        /// The connection has to be closed, for this reason.
        case violation(UInt16)
    }

    private enum Opcode {
        static let (continuation, text, binary): (UInt8, UInt8, UInt8) = (0x0, 0x1, 0x2)
        static let (close, ping, pong): (UInt8, UInt8, UInt8) = (0x8, 0x9, 0xA)
    }

    private let mostBytes: Int
    private let mostFragments: Int
    private var bytes: [UInt8] = []
    private var fragments = 0
    private var hasEnded = false

    init(_ limits: ListenerLimits) {
        mostBytes = limits.messageBytes
        mostFragments = limits.fragments
    }

    /// True after a part of a message.
    var isInMessage: Bool { fragments > 0 }

    mutating func take(_ frame: Frame) -> Outcome {
        guard !hasEnded else { return .none }
        let outcome = judge(frame)
        switch outcome {
        case .close, .violation:
            hasEnded = true
            (bytes, fragments) = ([], 0)
        case .message: (bytes, fragments) = ([], 0)
        case .none, .ping, .pong: break
        }
        return outcome
    }

    private mutating func judge(_ frame: Frame) -> Outcome {
        guard frame.isMasked, !frame.hasReservedBits else { return .violation(CloseCode.protocolError) }
        if frame.opcode >= Opcode.close {
            guard frame.isFinal, frame.payload.count <= 125 else { return .violation(CloseCode.protocolError) }
        }
        switch frame.opcode {
        case Opcode.text:
            guard !isInMessage else { return .violation(CloseCode.protocolError) }
            return add(frame)
        case Opcode.continuation:
            guard isInMessage else { return .violation(CloseCode.protocolError) }
            return add(frame)
        case Opcode.binary: return .violation(CloseCode.unacceptableData)
        case Opcode.ping: return .ping(frame.payload)
        case Opcode.pong: return .pong
        case Opcode.close: return close(frame.payload)
        default: return .violation(CloseCode.protocolError)
        }
    }

    private mutating func add(_ frame: Frame) -> Outcome {
        guard bytes.count + frame.payload.count <= mostBytes else { return .violation(CloseCode.tooLarge) }
        fragments += 1
        guard fragments <= mostFragments else { return .violation(CloseCode.policy) }
        // The usual message has one frame, and is not copied.
        if bytes.isEmpty { bytes = frame.payload } else { bytes += frame.payload }
        guard frame.isFinal else { return .none }
        return Self.isUTF8(bytes) ? .message(bytes) : .violation(CloseCode.invalidData)
    }

    private func close(_ payload: [UInt8]) -> Outcome {
        guard payload.count >= 2 else { return payload.isEmpty ? .close(nil) : .violation(CloseCode.protocolError) }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard CloseCode.mayBeSent(code) else { return .violation(CloseCode.protocolError) }
        return Self.isUTF8(Array(payload[2...])) ? .close(code) : .violation(CloseCode.invalidData)
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }
}

/// Reasons to close a WebSocket (RFC 6455 section 7.4.1).
enum CloseCode {
    static let normal: UInt16 = 1000
    static let goingAway: UInt16 = 1001
    static let protocolError: UInt16 = 1002
    static let unacceptableData: UInt16 = 1003
    static let invalidData: UInt16 = 1007
    static let policy: UInt16 = 1008
    static let tooLarge: UInt16 = 1009

    /// True for the reasons that a client may give.
    static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
