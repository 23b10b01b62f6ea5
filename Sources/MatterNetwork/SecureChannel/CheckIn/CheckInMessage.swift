package import MatterCrypto

/// The message with which a device that sleeps says that it is awake (Matter core specification 4.22).
///
/// It comes on an unsecured session, from any address, and is never answered; its key proves who sent it.
package struct CheckInMessage: Equatable, Sendable {
    /// Bytes of the key that a client gives a device.
    package static let keyCount = 16
    private static let nonceCount = 13
    private static let tagCount = 16
    private static let counterCount = 4
    /// The shortest message, in bytes.
    static let leastCount = nonceCount + counterCount + tagCount
    /// Messages are short; what is longer is not decrypted.
    static let mostCount = 256

    /// Grows with each round of check-ins of the device.
    package var counter: UInt32
    /// The device's additions: first how long it stays awake after activity, then what later versions have.
    var applicationData: [UInt8]

    // memberwise: package

    package init(counter: UInt32, activeThreshold: UInt16) {
        self.init(
            counter: counter,
            applicationData: [UInt8(truncatingIfNeeded: activeThreshold), UInt8(activeThreshold >> 8)])
    }

    /// ActiveModeThreshold in milliseconds; `nil` if the device does not say.
    package var activeThreshold: UInt16? {
        guard let low = applicationData.first, let high = applicationData.dropFirst().first else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    /// Decrypts a payload, and checks that it was made with the key.
    ///
    /// - Throws: ``CheckInError``: `malformed` for what cannot be a check-in, `otherKey` for one under another key.
    package init(opening payload: [UInt8], with key: CheckInKey) throws(CheckInError) {
        guard (Self.leastCount...Self.mostCount).contains(payload.count) else {
            throw CheckInError(.malformed, "a check-in message does not have \(payload.count) bytes")
        }
        let nonce = Array(payload.prefix(Self.nonceCount))
        guard let text = try? key.cipher.open(Array(payload.dropFirst(Self.nonceCount)), nonce: nonce) else {
            throw CheckInError(.otherKey, "the check-in message was not made with this key")
        }
        counter = text.prefix(Self.counterCount).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        applicationData = Array(text.dropFirst(Self.counterCount))
        // Who has the key could choose a nonce; only this one belongs to the counter.
        guard let own = try? Self.nonce(counter, key), constantTimeEqual(own, nonce) else {
            throw CheckInError(.otherKey, "the nonce of the check-in message does not belong to its counter")
        }
    }

    /// The payload of the message.
    package func sealed(with key: CheckInKey) throws(CryptoError) -> [UInt8] {
        let nonce = try Self.nonce(counter, key)
        return nonce + (try key.cipher.seal(Self.bytes(counter) + applicationData, nonce: nonce))
    }

    private static func nonce(_ counter: UInt32, _ key: CheckInKey) throws(CryptoError) -> [UInt8] {
        Array(try HMACSHA256.authenticate(key: key.secret, message: bytes(counter)).prefix(nonceCount))
    }

    private static func bytes(_ counter: UInt32) -> [UInt8] {
        (0..<UInt32(counterCount)).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
    }
}

/// The key of a registration: 16 bytes that only the client and one device know.
package struct CheckInKey: Sendable, Equatable {
    package let secret: SecretBytes
    fileprivate let cipher: AES128CCM

    /// - Throws: `crypto.invalid-length` for a key that is not of 16 bytes.
    package init(_ secret: SecretBytes) throws(CryptoError) {
        self.secret = secret
        cipher = try AES128CCM(key: secret)
    }

    /// A fresh random key.
    package static func random(_ source: some RandomSource) throws(CryptoError) -> CheckInKey {
        try CheckInKey(source.secret(CheckInMessage.keyCount))
    }

    package static func == (left: Self, right: Self) -> Bool { left.secret == right.secret }
}

/// Why a payload is not a check-in message of a device.
package struct CheckInError: CodedError, Equatable {
    package enum Code: String, ErrorCode {
        /// Too short or too long.
        case malformed = "secure-channel.malformed-check-in"
        /// Made with another key, damaged, or with a nonce of another counter.
        case otherKey = "secure-channel.other-check-in-key"

        package var kind: FailureKind { .defect }
    }

    package var code: Code
    package var reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
