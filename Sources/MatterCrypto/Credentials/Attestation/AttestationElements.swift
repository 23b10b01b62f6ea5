import MatterBase

/// The contents of an AttestationResponse: its certification declaration, bound to the question
/// (Matter core specification, 11.18.5.4).
package struct AttestationElements: Sendable, Hashable {
    /// The longest encoding.
    package static let maximumCount = 900
    package static let nonceCount = 32

    private static let limits = TLVLimits(depth: 8, elements: 256)

    /// The CMS form, as yet unchecked.
    package let certificationDeclaration: [UInt8]
    /// The nonce of the AttestationRequest.
    package let nonce: [UInt8]
    /// Matter seconds; means nothing to a commissioner.
    package let timestamp: UInt32
    let firmwareInformation: [UInt8]?
    /// Vendors' own members, under fully qualified tags.
    let vendorReserved: [TLVElement]
    /// The bytes that were received: the signature covers them.
    package let encoded: [UInt8]

    /// Decodes elements. Members with unknown context tags are ignored as long as the order is kept.
    package init(decoding bytes: [UInt8]) throws(AttestationError) {
        guard bytes.count <= Self.maximumCount else {
            throw AttestationError(
                .malformedElements,
                "attestation elements of \(bytes.count) bytes, at most \(Self.maximumCount) allowed")
        }
        self = try AttestationError.rethrowing(.malformedElements) { () throws(CredentialsError) in
            try AttestationElements(members: bytes)
        }
    }

    private init(members bytes: [UInt8]) throws(CredentialsError) {
        var fields = try OrderedTLVFields(
            decoding: bytes, "the attestation elements", code: .malformed, limits: Self.limits)
        certificationDeclaration = try fields.octets(1, "the certification declaration")
        nonce = try fields.octets(2, "the nonce")
        guard nonce.count == Self.nonceCount else {
            throw CredentialsError(.malformed, "the nonce has \(nonce.count) bytes instead of 32")
        }
        timestamp = try fields.time(3, "the timestamp")
        switch fields.optional(4) {
        case nil: firmwareInformation = nil
        case .octets(let octets): firmwareInformation = octets
        default: throw CredentialsError(.malformed, "the firmware information is not an octet string")
        }
        vendorReserved = try fields.trailing(after: 4)
        encoded = bytes
    }

    /// Makes elements, as a device does.
    init(
        certificationDeclaration: [UInt8], nonce: [UInt8], timestamp: UInt32 = 0, firmwareInformation: [UInt8]? = nil,
        vendorReserved: [TLVElement] = []
    ) throws(AttestationError) {
        var members = [
            TLVElement(1, .octets(certificationDeclaration)), TLVElement(2, .octets(nonce)),
            TLVElement(3, .uint(UInt64(timestamp))),
        ]
        if let firmwareInformation { members.append(TLVElement(4, .octets(firmwareInformation))) }
        try self.init(decoding: TLVElement(.anonymous, .structure(members + vendorReserved)).encoded())
    }

    /// Signs the elements, as a device does.
    package func signed(
        with attestationKey: P256PrivateKey, attestationChallenge: [UInt8]
    ) throws(CredentialsError) -> AttestationResponse {
        let signature = try cryptographic { () throws(CryptoError) in
            try attestationKey.sign(encoded + attestationChallenge)
        }
        return AttestationResponse(elements: encoded, signature: signature)
    }
}

/// The two fields of an AttestationResponse (Matter core specification, 11.18.6.2).
package struct AttestationResponse: Sendable, Hashable {
    static let signatureCount = 64
    /// The bytes of the attestation challenge, which every secure session derives.
    package static let challengeCount = 16

    /// Encoded ``AttestationElements``.
    package var elements: [UInt8]
    /// r and s.
    package var signature: [UInt8]

    // memberwise: package

    /// True if the owner of a device attestation key made this answer in the session that derived the challenge.
    package func isSigned(by attestationKey: P256PublicKey, attestationChallenge: [UInt8]) -> Bool {
        attestationKey.isValidSignature(signature, for: elements + attestationChallenge)
    }
}

extension OrderedTLVFields {
    /// The members after the known ones: context tags in ascending order, which are passed over, then other tags.
    /// - Returns: the members with other tags.
    func trailing(after lastKnown: UInt8) throws(CredentialsError) -> [TLVElement] {
        var last: UInt8? = lastKnown
        var others: [TLVElement] = []
        for member in rest {
            switch member.tag {
            case .context(let tag):
                guard let previous = last, tag > previous else {
                    throw CredentialsError(.malformed, "the member \(tag) is not in its place")
                }
                last = tag
            default:
                last = nil
                others.append(member)
            }
        }
        return others
    }
}
