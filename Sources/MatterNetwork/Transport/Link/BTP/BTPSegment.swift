/// A segment of a BTP session: a piece of a message, an acknowledgement, or both (Matter core specification 4.20.3.2).
struct BTPSegment: Hashable, Sendable {
    /// The flags of the first byte; further ones are not looked at.
    private enum Flag {
        static let beginning: UInt8 = 0x01
        static let continuing: UInt8 = 0x02
        static let ending: UInt8 = 0x04
        static let acknowledgement: UInt8 = 0x08
        static let management: UInt8 = 0x20
        static let handshake: UInt8 = 0x40
    }

    /// Flags and opcode of both handshake messages.
    static let handshakePrefix: [UInt8] = [
        Flag.handshake | Flag.management | Flag.beginning | Flag.ending, 0x6C,
    ]

    /// Where a piece belongs in its message.
    enum Place: Hashable, Sendable {
        /// The only one.
        case whole(length: UInt16)
        /// The first of several.
        case beginning(length: UInt16)
        case middle
        case ending
    }

    /// `nil` in a segment that only acknowledges.
    var place: Place?
    /// The last segment of the peer's that is acknowledged.
    var acknowledged: UInt8?
    var sequence: UInt8
    /// Empty in a segment that only acknowledges.
    var payload: [UInt8]

    init(_ place: Place?, acknowledged: UInt8?, sequence: UInt8, payload: [UInt8] = []) {
        self.place = place
        self.acknowledged = acknowledged
        self.sequence = sequence
        self.payload = payload
    }

    /// The bytes before the payload.
    static func headerLength(isFirst: Bool, acknowledges: Bool) -> Int {
        2 + (acknowledges ? 1 : 0) + (isFirst ? 2 : 0)
    }

    func encoded() -> [UInt8] {
        var flags: UInt8 = acknowledged == nil ? 0 : Flag.acknowledgement
        var length: UInt16?
        switch place {
        case .whole(let whole): (flags, length) = (flags | Flag.beginning | Flag.ending, whole)
        case .beginning(let whole): (flags, length) = (flags | Flag.beginning, whole)
        case .middle: flags |= Flag.continuing
        case .ending: flags |= Flag.continuing | Flag.ending
        case nil: break
        }
        var bytes = [flags]
        if let acknowledged { bytes.append(acknowledged) }
        bytes.append(sequence)
        if let length { bytes += [UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8)] }
        return bytes + payload
    }

    /// - Throws: ``TransportError`` with code `btp`.
    init(decoding bytes: [UInt8]) throws(TransportError) {
        func refused(_ what: String) -> TransportError { TransportError(.btp, "a segment of BTP \(what)") }
        var rest = bytes[...]
        guard let flags = rest.popFirst() else { throw refused("is empty") }
        guard flags & (Flag.management | Flag.handshake) == 0 else {
            throw refused("is a handshake, which is over")
        }
        func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
        if has(Flag.acknowledgement) {
            guard let number = rest.popFirst() else { throw refused("is cut short") }
            acknowledged = number
        } else {
            acknowledged = nil
        }
        guard let number = rest.popFirst() else { throw refused("is cut short") }
        sequence = number
        if has(Flag.beginning) {
            guard !has(Flag.continuing) else { throw refused("both begins and continues a message") }
            guard let low = rest.popFirst(), let high = rest.popFirst() else { throw refused("is cut short") }
            let length = UInt16(low) | UInt16(high) << 8
            place = has(Flag.ending) ? .whole(length: length) : .beginning(length: length)
        } else if has(Flag.ending) {
            // An ending that does not say that it continues is one, too.
            place = .ending
        } else {
            place = has(Flag.continuing) ? .middle : nil
        }
        payload = Array(rest)
        guard place != nil || payload.isEmpty else { throw refused("has a piece of no message") }
        guard acknowledged != nil || !payload.isEmpty else {
            throw refused("has neither a piece nor an acknowledgement")
        }
    }
}
