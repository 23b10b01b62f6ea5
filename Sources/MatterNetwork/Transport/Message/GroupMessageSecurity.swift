package import MatterCrypto

/// A group key as messages use it: it encrypts them, and obscures their headers (Matter core specification 4.8, 4.9).
package struct GroupMessageSecurity: Sendable {
    /// Privacy obscures the header from the message counter to the end of the ids.
    private static let obscuredFrom = 4
    /// The bytes of the integrity check that are part of the nonce of privacy: all but the first five.
    private static let nonceTail = 11

    /// The group session id of messages under the key. Several keys may share it.
    package let sessionID: UInt16
    private let key: SecretBytes
    private let privacyKey: SecretBytes

    /// - Parameters:
    ///   - key: the operational group key, 16 bytes.
    ///   - privacyKey: derived from it, 16 bytes.
    package init(sessionID: UInt16, key: SecretBytes, privacyKey: SecretBytes) {
        self.sessionID = sessionID
        self.key = key
        self.privacyKey = privacyKey
    }

    /// Encrypts a message, and obscures its header if that says so.
    package func seal(header: MessageHeader, plaintext: [UInt8]) throws -> [UInt8] {
        let datagram = try security(of: header).seal(header: header, plaintext: plaintext)
        return header.hasPrivacy ? try obscured(datagram, header) : datagram
    }

    /// - Throws: `authenticationFailed` if the message is under another key, or was changed.
    package func open(_ datagram: [UInt8]) throws(TransportError) -> (header: MessageHeader, plaintext: [UInt8]) {
        var (header, length) = try MessageHeader.decode(datagram)
        guard datagram.count >= length + MessageSecurity.micLength else {
            throw .malformed("no room for the integrity check")
        }
        do {
            var clear = datagram
            if header.hasPrivacy {
                clear = try obscured(datagram, header)
                (header, length) = try MessageHeader.decode(clear)
            }
            return (
                header, try security(of: header).open(header: header, headerLength: length, datagram: clear)
            )
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError(.authenticationFailed, "\(error)")
        }
    }

    private func security(of header: MessageHeader) throws -> MessageSecurity {
        guard let source = header.source else { throw TransportError.malformed("a group message without its sender") }
        return try MessageSecurity(key: key, senderNodeID: source)
    }

    /// Obscures a clear header, or reveals an obscured one: the same operation both ways.
    private func obscured(_ datagram: [UInt8], _ header: MessageHeader) throws(CryptoError) -> [UInt8] {
        // The sizes of the ids are in the flags, which are never obscured.
        let range = Self.obscuredFrom..<header.encoded().count
        let nonce =
            [UInt8(truncatingIfNeeded: sessionID >> 8), UInt8(truncatingIfNeeded: sessionID)]
            + datagram.suffix(Self.nonceTail)
        // The first counter block of CCM with a length of two bytes: the flags, the nonce, the number 1.
        var result = datagram
        result.replaceSubrange(
            range, with: try AES128CTR.apply(key: privacyKey, iv: [1] + nonce + [0, 1], data: Array(datagram[range])))
        return result
    }
}
