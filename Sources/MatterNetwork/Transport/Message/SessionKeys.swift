package import MatterCrypto

/// Who began a session or an exchange.
package enum Role: Hashable, Sendable {
    case initiator
    case responder

    package var other: Role { self == .initiator ? .responder : .initiator }
}

/// The keys of a secure unicast session (Matter core specification 4.13.2.6.1 and 4.14.2.6.1).
package struct SessionKeys: Sendable {
    /// Initiator to responder.
    package let i2r: SecretBytes
    /// Responder to initiator.
    package let r2i: SecretBytes
    /// Signed by the device in attestation and CSR responses.
    package let attestationChallenge: SecretBytes

    // memberwise: package
}

/// Encrypts and decrypts the messages of one direction of a secure session (Matter core specification 4.8).
struct MessageSecurity: Sendable {
    /// Octets of the integrity check at the end of a secured message.
    static let micLength = 16

    private let cipher: AES128CCM
    /// The sender's operational node id; 0 on PASE sessions.
    let senderNodeID: UInt64

    init(key: SecretBytes, senderNodeID: UInt64) throws(CryptoError) {
        cipher = try AES128CCM(key: key)
        self.senderNodeID = senderNodeID
    }

    func seal(header: MessageHeader, plaintext: [UInt8]) throws -> [UInt8] {
        let clear = header.encoded()
        let nonce = nonce(securityFlags: header.securityFlags, counter: header.counter)
        return clear + (try cipher.seal(plaintext, nonce: nonce, aad: clear))
    }

    /// - Parameter headerLength: bytes of the clear header, extensions included.
    func open(header: MessageHeader, headerLength: Int, datagram: [UInt8]) throws(TransportError) -> [UInt8] {
        guard datagram.count >= headerLength + Self.micLength else {
            throw .malformed("no room for the integrity check")
        }
        // The byte as it was sent: it may have bits that the decoded header does not keep.
        let nonce = nonce(securityFlags: datagram[MessageHeader.securityFlagsOffset], counter: header.counter)
        do {
            return try cipher.open(
                Array(datagram[headerLength...]), nonce: nonce, aad: Array(datagram[..<headerLength]))
        } catch {
            throw TransportError(.authenticationFailed, "the message integrity check failed")
        }
    }

    private func nonce(securityFlags: UInt8, counter: UInt32) -> [UInt8] {
        var nonce = [securityFlags]
        nonce.append(littleEndian: counter)
        nonce.append(littleEndian: senderNodeID)
        return nonce
    }
}
