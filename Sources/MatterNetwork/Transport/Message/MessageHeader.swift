/// The clear header of a message (Matter core specification 4.4.1).
package struct MessageHeader: Equatable, Sendable {
    /// Who the message is for, as far as the header says.
    package enum Destination: Equatable, Sendable {
        case none
        case node(UInt64)
        case group(UInt16)
    }

    /// The two low bits of the security flags.
    enum SessionType: UInt8, Sendable {
        case unicast = 0
        case group = 1
    }

    /// Where the security flags stand in a datagram.
    static let securityFlagsOffset = 3

    /// The id that the receiver allocated; 0 on unsecured sessions.
    package var sessionID: UInt16
    var sessionType: SessionType = .unicast
    package var isControl: Bool = false
    var hasPrivacy: Bool = false
    package var counter: UInt32
    package var source: UInt64?
    package var destination: Destination = .none

    /// True if the message is on an unsecured session.
    var isUnsecured: Bool { sessionID == 0 && sessionType == .unicast }

    package var securityFlags: UInt8 {
        (hasPrivacy ? 0x80 : 0) | (isControl ? 0x40 : 0) | sessionType.rawValue
    }

    package func encoded() -> [UInt8] {
        var flags: UInt8 = source == nil ? 0 : 0x04
        switch destination {
        case .none: break
        case .node: flags |= 0x01
        case .group: flags |= 0x02
        }
        var bytes: [UInt8] = [flags]
        bytes.append(littleEndian: sessionID)
        bytes.append(securityFlags)
        bytes.append(littleEndian: counter)
        if let source { bytes.append(littleEndian: source) }
        switch destination {
        case .none: break
        case .node(let id): bytes.append(littleEndian: id)
        case .group(let id): bytes.append(littleEndian: id)
        }
        return bytes
    }

    /// Decodes the header at the front of a datagram.
    ///
    /// - Returns: the header and how many bytes it takes, extensions included.
    /// - Throws: `.malformedMessage` for everything that the specification wants dropped.
    package static func decode(_ datagram: [UInt8]) throws(TransportError) -> (header: MessageHeader, length: Int) {
        var input = ByteReader(datagram)
        let flags: UInt8 = try input.integer()
        guard flags & 0xF0 == 0 else { throw .malformed("message version \(flags >> 4)") }
        let sessionID: UInt16 = try input.integer()
        let security: UInt8 = try input.integer()
        guard let sessionType = SessionType(rawValue: security & 0x03) else {
            throw .malformed("reserved session type")
        }
        let counter: UInt32 = try input.integer()
        let source: UInt64? = flags & 0x04 == 0 ? nil : try input.integer()
        let destination: Destination
        switch flags & 0x03 {
        case 0: destination = .none
        case 1: destination = .node(try input.integer())
        case 2: destination = .group(try input.integer())
        default: throw .malformed("reserved destination size")
        }
        if security & 0x20 != 0 {
            let length: UInt16 = try input.integer()
            try input.skip(Int(length))
        }
        let header = MessageHeader(
            sessionID: sessionID, sessionType: sessionType, isControl: security & 0x40 != 0,
            hasPrivacy: security & 0x80 != 0, counter: counter, source: source, destination: destination)
        try header.checkForm()
        return (header, input.position)
    }

    private func checkForm() throws(TransportError) {
        switch sessionType {
        case .group:
            guard sessionID != 0 else { throw .malformed("a group message without a session id") }
            guard source != nil, destination != .none else { throw .malformed("a group message without its node ids") }
        case .unicast:
            if case .group = destination { throw .malformed("a unicast message to a group") }
            guard !hasPrivacy else { throw .malformed("a unicast message with the privacy flag") }
            if isUnsecured {
                switch (source, destination) {
                case (.some, .none), (.none, .node): break
                default: throw .malformed("an unsecured message with both or neither node id")
                }
            }
        }
    }
}

extension TransportError {
    static func malformed(_ reason: String) -> TransportError { TransportError(.malformedMessage, reason) }
}
