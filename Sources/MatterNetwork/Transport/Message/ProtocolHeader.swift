/// A protocol: vendor and number (Matter core specification 4.4.3.4).
package struct ProtocolID: Hashable, Sendable {
    package var vendor: UInt16 = 0
    package var number: UInt16

    package static let secureChannel = ProtocolID(number: 0)
    package static let interactionModel = ProtocolID(number: 1)
    package static let bulkDataExchange = ProtocolID(number: 2)
    static let userDirectedCommissioning = ProtocolID(number: 3)
}

/// The opcodes of the secure channel protocol.
package enum SecureChannelOpcode: UInt8, Sendable {
    case messageCounterSyncRequest = 0x00
    case messageCounterSyncResponse = 0x01
    case standaloneAck = 0x10
    case pbkdfParamRequest = 0x20
    case pbkdfParamResponse = 0x21
    case pake1 = 0x22
    case pake2 = 0x23
    case pake3 = 0x24
    case sigma1 = 0x30
    case sigma2 = 0x31
    case sigma3 = 0x32
    case sigma2Resume = 0x33
    case statusReport = 0x40
    case checkIn = 0x50
}

/// The header in front of the application payload, encrypted with it (Matter core specification 4.4.3).
struct ProtocolHeader: Equatable, Sendable {
    var isFromInitiator: Bool
    var needsAck: Bool
    var acknowledged: UInt32?
    var opcode: UInt8
    var exchangeID: UInt16
    var protocolID: ProtocolID

    var isStandaloneAck: Bool {
        protocolID == .secureChannel && opcode == SecureChannelOpcode.standaloneAck.rawValue
    }

    func encoded() -> [UInt8] {
        var flags: UInt8 = (isFromInitiator ? 0x01 : 0) | (needsAck ? 0x04 : 0)
        if acknowledged != nil { flags |= 0x02 }
        if protocolID.vendor != 0 { flags |= 0x10 }
        var bytes: [UInt8] = [flags, opcode]
        bytes.append(littleEndian: exchangeID)
        if protocolID.vendor != 0 { bytes.append(littleEndian: protocolID.vendor) }
        bytes.append(littleEndian: protocolID.number)
        if let acknowledged { bytes.append(littleEndian: acknowledged) }
        return bytes
    }

    /// Decodes the header at the front of a decrypted payload.
    ///
    /// - Returns: the header and the application payload after it.
    static func decode(
        _ plaintext: [UInt8]
    ) throws(TransportError) -> (header: ProtocolHeader, payload: [UInt8]) {
        var input = ByteReader(plaintext)
        let flags: UInt8 = try input.integer()
        let opcode: UInt8 = try input.integer()
        let exchangeID: UInt16 = try input.integer()
        let vendor: UInt16 = flags & 0x10 == 0 ? 0 : try input.integer()
        let number: UInt16 = try input.integer()
        let acknowledged: UInt32? = flags & 0x02 == 0 ? nil : try input.integer()
        if flags & 0x08 != 0 {
            let length: UInt16 = try input.integer()
            try input.skip(Int(length))
        }
        let header = ProtocolHeader(
            isFromInitiator: flags & 0x01 != 0, needsAck: flags & 0x04 != 0, acknowledged: acknowledged,
            opcode: opcode, exchangeID: exchangeID, protocolID: ProtocolID(vendor: vendor, number: number))
        return (header, input.rest())
    }
}
