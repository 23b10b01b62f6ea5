package import MatterCrypto

/// A line of a key log: what a reader of a capture needs to open the messages of one session.
///
///     matter-session 0x1234 0xABCD 0000000000000001 0000000000000005 KEY KEY
///
/// The session ids of initiator and responder, their operational node ids (0 on PASE sessions), and the keys from initiator
/// to responder and back, 16 bytes each in hexadecimal digits. A line that begins with `#` is a remark.
package struct KeyLogEntry: Sendable {
    static let word = "matter-session"
    private static let keyLength = 16

    package var initiatorSessionID: UInt16
    package var responderSessionID: UInt16
    package var initiatorNodeID: UInt64
    package var responderNodeID: UInt64
    package var i2r: SecretBytes
    package var r2i: SecretBytes

    package init(_ session: SecureSessionParameters) {
        let isInitiator = session.role == .initiator
        initiatorSessionID = isInitiator ? session.localSessionID : session.peerSessionID
        responderSessionID = isInitiator ? session.peerSessionID : session.localSessionID
        initiatorNodeID = isInitiator ? session.localNodeID : session.peerNodeID
        responderNodeID = isInitiator ? session.peerNodeID : session.localNodeID
        i2r = session.keys.i2r
        r2i = session.keys.r2i
    }

    /// - Returns: `nil` for a line that is none, or a remark.
    package init?(line: Substring) {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" })
        guard words.count == 7, words[0] == Self.word,
            let initiatorSession = Self.number(words[1], as: UInt16.self),
            let responderSession = Self.number(words[2], as: UInt16.self),
            let initiator = UInt64(words[3], radix: 16), let responder = UInt64(words[4], radix: 16),
            let i2r = try? Hex.decode(String(words[5])), i2r.count == Self.keyLength,
            let r2i = try? Hex.decode(String(words[6])), r2i.count == Self.keyLength
        else { return nil }
        (initiatorSessionID, responderSessionID) = (initiatorSession, responderSession)
        (initiatorNodeID, responderNodeID) = (initiator, responder)
        (self.i2r, self.r2i) = (SecretBytes(i2r), SecretBytes(r2i))
    }

    private static func number<Number: FixedWidthInteger>(_ text: Substring, as type: Number.Type) -> Number? {
        text.hasPrefix("0x") ? Number(text.dropFirst(2), radix: 16) : nil
    }

    /// The line, which is a secret.
    package var line: String {
        let ids = [initiatorSessionID, responderSessionID].map { "0x" + Hex.number(UInt32($0), digits: 4) }
        let nodes = [initiatorNodeID, responderNodeID].map { Hex.number($0, digits: 16) }
        let keys = [i2r, r2i].map { Hex.encode($0.copyBytes()) }
        return ([Self.word] + ids + nodes + keys).joined(separator: " ")
    }

    /// True on a session that PASE has set up.
    package var isPASE: Bool { initiatorNodeID == 0 && responderNodeID == 0 }
}
