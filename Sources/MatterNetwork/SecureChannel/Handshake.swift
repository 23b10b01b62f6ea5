package import MatterCrypto

/// A message of the secure channel protocol.
package struct HandshakeMessage: Equatable, Sendable {
    package var opcode: SecureChannelOpcode
    package var payload: [UInt8]

    package init(_ opcode: SecureChannelOpcode, _ payload: [UInt8]) {
        self.opcode = opcode
        self.payload = payload
    }

    init(_ report: StatusReport) { self.init(.statusReport, report.encoded()) }
}

/// The action of a handshake after an event: a message to send, an end, or both.
package struct HandshakeStep: Sendable {
    package var send: HandshakeMessage?
    /// Set when the session stands on our side. What is left to send belongs to the handshake still.
    package var established: EstablishedSession?
    /// Set where a CASE handshake begins.
    var offer: HandshakeOffer?
}

/// One side of PASE or CASE: messages in, steps out. A thrown error ends the handshake; its `reply` tells the peer.
package protocol Handshake: Sendable {
    /// The first message of an initiator; a responder has none.
    mutating func start() throws(SecureChannelError) -> HandshakeStep

    mutating func handle(_ message: HandshakeMessage) throws(SecureChannelError) -> HandshakeStep

    /// The peer's session parameters as soon as they are known.
    var peerParameters: SessionParameters? { get }
}

/// The result of a handshake.
package struct EstablishedSession: Sendable {
    package enum Kind: Sendable { case pase, `case` }

    package var kind: Kind
    package var role: Role
    package var localSessionID: UInt16
    package var peerSessionID: UInt16
    package var keys: SessionKeys
    package var peerParameters: SessionParameters
    /// Both 0 on PASE sessions.
    package var localNodeID: UInt64 = 0
    package var peerNodeID: UInt64 = 0
    /// The authenticated tags in the peer's certificate.
    package var peerCATs: [CASEAuthenticatedTag] = []
    /// The responder's fabric that the initiator asked for.
    package var fabricIndex: UInt8?
    /// The secret from which the next handshake with this peer may start.
    package var resumption: ResumptionRecord?
    /// True if this session itself was resumed.
    package var isResumed = false
    /// The keys of its handshake; `nil` if that had none of its own.
    package var handshakeSecrets: HandshakeSecrets?

    init(
        kind: Kind, role: Role, localSessionID: UInt16, peerSessionID: UInt16, keys: SessionKeys,
        peerParameters: SessionParameters, localNodeID: UInt64 = 0, peerNodeID: UInt64 = 0,
        peerCATs: [CASEAuthenticatedTag] = [], fabricIndex: UInt8? = nil, resumption: ResumptionRecord? = nil,
        isResumed: Bool = false
    ) {
        self.kind = kind
        self.role = role
        self.localSessionID = localSessionID
        self.peerSessionID = peerSessionID
        self.keys = keys
        self.peerParameters = peerParameters
        self.localNodeID = localNodeID
        self.peerNodeID = peerNodeID
        self.peerCATs = peerCATs
        self.fabricIndex = fabricIndex
        self.resumption = resumption
        self.isResumed = isResumed
    }

    /// A CASE session that goes on.
    package init(_ parameters: SecureSessionParameters, peerParameters: SessionParameters) {
        self.init(
            kind: .case, role: parameters.role, localSessionID: parameters.localSessionID,
            peerSessionID: parameters.peerSessionID, keys: parameters.keys, peerParameters: peerParameters,
            localNodeID: parameters.localNodeID, peerNodeID: parameters.peerNodeID)
    }
}

/// The record that both sides of a CASE session keep to resume it (Matter core specification 4.14.2.2.1).
package struct ResumptionRecord: Sendable {
    /// 16 bytes, chosen by the responder.
    package var resumptionID: [UInt8]
    package var sharedSecret: SecretBytes
    package var peerNodeID: UInt64
    package var peerCATs: [CASEAuthenticatedTag]
    package var fabricIndex: UInt8?

    // memberwise: package, peerCATs = [], fabricIndex = nil
}

extension SessionKeys {
    static let derivedLength = 48

    /// Splits 48 bytes of derived key material (Matter core specification 4.13.2.6.1).
    /// - Throws: `crypto.invalid-length` for fewer bytes.
    init(derived: SecretBytes) throws(CryptoError) {
        self.init(
            i2r: try derived.part(0..<16), r2i: try derived.part(16..<32),
            attestationChallenge: try derived.part(32..<48))
    }
}

/// Runs a decoder or a computation and turns its error into one of the handshake.
func handshake<T>(_ what: String, _ body: () throws -> T) throws(SecureChannelError) -> T {
    do {
        return try body()
    } catch let error as SecureChannelError {
        throw error
    } catch let error as TLVError {
        throw SecureChannelError(.malformed, "\(what): \(error)")
    } catch let error as CredentialsError {
        throw SecureChannelError(.invalidCredentials, "\(what): \(error)")
    } catch {
        throw SecureChannelError(.cryptography, "\(what): \(error)")
    }
}
