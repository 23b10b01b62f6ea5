import MatterBase

/// The answer to CSRRequest: its certificate signing request, bound to the question
/// (Matter core specification, 11.18.5.6).
package struct NOCSRElements: Sendable, Hashable {
    /// The longest encoding.
    package static let maximumCount = 900
    package static let nonceCount = 32
    /// The bytes of the attestation challenge, which every secure session derives.
    static let attestationChallengeCount = 16

    private static let limits = TLVLimits(depth: 4, elements: 64)

    /// The PKCS#10 request, as yet unchecked.
    package let csr: [UInt8]
    /// The nonce of the CSRRequest.
    package let nonce: [UInt8]
    /// Three fields for the vendor's own use, `nil` where absent.
    let vendorReserved: [[UInt8]?]
    /// The bytes that were received: the signature covers them.
    package let encoded: [UInt8]

    /// Decodes elements. Members with further tags are ignored as long as the order is kept.
    package init(decoding bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count <= Self.maximumCount else {
            throw CredentialsError(
                .malformedElements, "NOCSR elements of \(bytes.count) bytes, at most \(Self.maximumCount) allowed")
        }
        var fields = try OrderedTLVFields(
            decoding: bytes, "the NOCSR elements", code: .malformedElements, limits: Self.limits)
        csr = try fields.octets(1, "the request")
        nonce = try fields.octets(2, "the nonce")
        guard nonce.count == Self.nonceCount else {
            throw CredentialsError(.malformedElements, "the nonce has \(nonce.count) bytes instead of 32")
        }
        var reserved: [[UInt8]?] = []
        for tag: UInt8 in 3...5 {
            switch fields.optional(tag) {
            case nil: reserved.append(nil)
            case .octets(let octets): reserved.append(octets)
            default:
                throw CredentialsError(.malformedElements, "a vendor's field is not an octet string")
            }
        }
        vendorReserved = reserved
        var last: UInt8 = 5
        for member in fields.rest {
            guard case .context(let tag) = member.tag, tag > last else {
                throw CredentialsError(.malformedElements, "the members are not in ascending order")
            }
            last = tag
        }
        encoded = bytes
    }

    /// Makes elements, as a device does.
    package init(
        csr: CertificateSigningRequest, nonce: [UInt8], vendorReserved: [[UInt8]?] = [nil, nil, nil]
    ) throws(CredentialsError) {
        var members = [TLVElement(1, .octets(csr.der)), TLVElement(2, .octets(nonce))]
        for (tag, octets) in zip(UInt8(3)...5, vendorReserved) {
            if let octets { members.append(TLVElement(tag, .octets(octets))) }
        }
        try self.init(decoding: TLVElement(.anonymous, .structure(members)).encoded())
    }

    /// The bytes that the device attestation key signs.
    func signedMessage(attestationChallenge: [UInt8]) -> [UInt8] { encoded + attestationChallenge }

    /// Signs the elements, as a device does.
    package func sign(
        with attestationKey: P256PrivateKey, attestationChallenge: [UInt8]
    ) throws(CredentialsError) -> [UInt8] {
        let message = signedMessage(attestationChallenge: attestationChallenge)
        return try cryptographic { () throws(CryptoError) in try attestationKey.sign(message) }
    }

    /// Checks that the elements answer our request, that the attested device made them in this session, and that the
    /// request inside is sound.
    ///
    /// - Parameters:
    ///   - nonce: the nonce that was sent.
    ///   - signature: the attestation signature of the CSRResponse, 64 bytes.
    ///   - attestationKey: the public key of the device attestation certificate.
    ///   - attestationChallenge: the challenge of the session.
    /// - Returns: the certificate signing request.
    package func verify(
        nonce expected: [UInt8], signature: [UInt8], attestationKey: P256PublicKey, attestationChallenge: [UInt8]
    ) throws(CredentialsError) -> CertificateSigningRequest {
        guard constantTimeEqual(nonce, expected) else {
            throw CredentialsError(.nonceMismatch, "the device answered with another nonce than it was sent")
        }
        let message = signedMessage(attestationChallenge: attestationChallenge)
        guard attestationKey.isValidSignature(signature, for: message) else {
            throw CredentialsError(
                .invalidAttestationSignature, "the device attestation key did not sign this answer in this session")
        }
        return try CertificateSigningRequest(der: csr)
    }
}
