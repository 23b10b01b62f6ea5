import SwiftASN1

/// A PKCS#10 certification request for a P-256 key, whose own signature has been checked (RFC 2986).
///
/// Of what it says only the key matters to an issuer; subject and attributes are kept as they came.
public struct CertificateSigningRequest: Sendable, Hashable {
    /// More than any device sends, and little enough to parse without thought.
    package static let maximumCount = 2048

    /// The whole request.
    package let der: [UInt8]
    package let publicKey: P256PublicKey

    /// Decodes a request.
    /// - Throws: ``CredentialsError`` for anything but version 1, P-256 and ECDSA with SHA-256, or if the signature is
    ///   not the key's own.
    package init(der: [UInt8]) throws(CredentialsError) {
        guard der.count <= Self.maximumCount else {
            throw CredentialsError(
                .malformedRequest, "a request of \(der.count) bytes, at most \(Self.maximumCount) allowed")
        }
        var fields = try DERFields(decoding: der, "the request", code: .malformedRequest)
        let info = try fields.next("its contents")
        try fields.ecdsaWithSHA256("the request's signature algorithm")
        let signature = try fields.wholeOctetBits("the request's signature")
        try fields.end()

        var contents = try DERFields(info, name: "the request's contents", code: .malformedRequest)
        guard try contents.integer("the version") == [0] else { throw contents.wrong("the request's version is not 1") }
        _ = try contents.fields("the subject")
        let point = try contents.p256PublicKey("the public key")
        // RFC 2986 wants the attributes even if there are none; some devices leave them out, and nothing hangs on them.
        if let attributes = contents.optional(.context(0)), attributes.primitive != nil {
            throw contents.wrong("the request's attributes are not a set")
        }
        try contents.end()

        publicKey = try P256PublicKey(certified: point)
        let raw: [UInt8]
        do { raw = try ECDSASignature.derToRaw(signature) } catch {
            throw CredentialsError(.malformedRequest, error.reason)
        }
        guard publicKey.isValidSignature(raw, for: Array(info.encodedBytes)) else {
            throw CredentialsError(.invalidRequestSignature, "the request is not signed with its own key")
        }
        self.der = der
    }

    /// Makes a request for a key of ours.
    /// - Parameter organizationalUnit: the only attribute of the subject; `nil` for an empty subject.
    package init(key: P256PrivateKey, organizationalUnit: String? = "CSA") throws(CredentialsError) {
        var info = DER.Serializer()
        info.sequence {
            $0.primitive(.integer, [0])
            $0.sequence { names in
                guard let organizationalUnit else { return }
                names.sequence(.set) {
                    $0.sequence {
                        let type = DistinguishedNameAttributeType.organizationalUnitName
                        $0.primitive(.objectIdentifier, type.objectIdentifier)
                        $0.primitive(.utf8String, Array(organizationalUnit.utf8))
                    }
                }
            }
            $0.p256PublicKey(key.publicKey.x963)
            $0.sequence(.context(0)) { _ in }
        }
        let signature = try cryptographic { () throws(CryptoError) in
            try ECDSASignature.rawToDER(key.sign(info.serializedBytes))
        }
        var request = DER.Serializer()
        request.sequence {
            $0.serializeRawBytes(info.serializedBytes)
            $0.ecdsaWithSHA256()
            $0.wholeOctetBits(signature)
        }
        der = request.serializedBytes
        publicKey = key.publicKey
    }
}
