/// A message outside of any session that wants an acknowledgement and nothing else: a status report of success, which says
/// nothing to a device that waits for none.
package enum BareMessage {
    /// - Parameter random: for the ids, which are used once.
    /// - Throws: `crypto.random-failed`.
    package static func encoded(random: any RandomSource) throws(CryptoError) -> [UInt8] {
        func number<Number: FixedWidthInteger>() throws(CryptoError) -> Number {
            try random.bytes(MemoryLayout<Number>.size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
        }
        let header = MessageHeader(
            sessionID: 0, counter: try number(), source: try number())
        let inner = ProtocolHeader(
            isFromInitiator: true, needsAck: true, opcode: SecureChannelOpcode.statusReport.rawValue,
            exchangeID: try number(), protocolID: .secureChannel)
        // General code, protocol and code: success (Matter core specification 4.11.1).
        return header.encoded() + inner.encoded() + [UInt8](repeating: 0, count: 8)
    }
}
