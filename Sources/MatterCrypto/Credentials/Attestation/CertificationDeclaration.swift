import SwiftASN1

/// A certification declaration in its only permitted form: a CMS SignedData of version 3 with one signer, known by
/// the identifier of its key, without certificates and without signed attributes (Matter core specification, 6.3).
package struct CertificationDeclaration: Sendable, Hashable {
    /// A declaration must fit the attestation elements.
    package static let maximumCount = AttestationElements.maximumCount

    private static let signedData = ObjectIdentifier.contents(1, 2, 840, 113549, 1, 7, 2)
    private static let data = ObjectIdentifier.contents(1, 2, 840, 113549, 1, 7, 1)
    private static let sha256 = ObjectIdentifier.contents(2, 16, 840, 1, 101, 3, 4, 2, 1)
    private static let version3: [UInt8] = [3]

    /// The CMS form, without what follows it.
    package let cms: [UInt8]
    /// The bytes behind the CMS form. The signature does not cover them, and devices on the market have them: the reference
    /// implementation reads the first element and ignores the rest.
    let trailingCount: Int
    /// Encoded ``CertificationElements``; the signature covers them.
    package let content: [UInt8]
    /// Names the key that signed, 20 bytes.
    package let signerKeyIdentifier: [UInt8]
    /// r and s, 64 bytes.
    package let signature: [UInt8]

    /// Decodes the CMS form.
    package init(cms: [UInt8]) throws(AttestationError) {
        guard cms.count <= Self.maximumCount else {
            throw AttestationError(
                .malformedDeclaration, "a declaration of \(cms.count) bytes, at most \(Self.maximumCount) allowed")
        }
        self = try AttestationError.rethrowing(.malformedDeclaration) { () throws(CredentialsError) in
            let count = DERFields.firstElementCount(of: cms) ?? cms.count
            return try CertificationDeclaration(decoding: Array(cms.prefix(count)), trailing: cms.count - count)
        }
    }

    private init(decoding cms: [UInt8], trailing: Int) throws(CredentialsError) {
        var message = try DERFields(decoding: cms, "the declaration", code: .malformed)
        try Self.take(Self.signedData, from: &message, "the message type")
        var wrapper = try message.fields("the signed data", .context(0))
        try message.end()
        var signed = try wrapper.fields("the signed data")
        try wrapper.end()

        try Self.takeVersion(from: &signed)
        var algorithms = try signed.fields("the digest algorithms", .set)
        try algorithms.algorithm(Self.sha256, "the digest algorithm")
        try algorithms.end()
        var encapsulated = try signed.fields("the encapsulated content")
        try Self.take(Self.data, from: &encapsulated, "the content type")
        var explicit = try encapsulated.fields("the content", .context(0))
        try encapsulated.end()
        content = try explicit.contents(.octetString, "the content")
        try explicit.end()
        var signers = try signed.fields("the signers", .set)
        try signed.end()
        var signer = try signers.fields("the signer")
        try signers.end()

        try Self.takeVersion(from: &signer)
        signerKeyIdentifier = try signer.contents(.context(0), "the signer's key identifier")
        guard signerKeyIdentifier.count == CertificateExtension.keyIdentifierCount else {
            throw signer.wrong("the signer's key identifier has \(signerKeyIdentifier.count) bytes instead of 20")
        }
        try signer.algorithm(Self.sha256, "the digest algorithm")
        try signer.ecdsaWithSHA256("the signature algorithm")
        let signature = try signer.contents(.octetString, "the signature")
        try signer.end()
        do { self.signature = try ECDSASignature.derToRaw(signature) } catch { throw signer.wrong(error.reason) }
        self.cms = cms
        trailingCount = trailing
    }

    private static func take(
        _ identifier: [UInt8], from fields: inout DERFields, _ name: String
    ) throws(CredentialsError) {
        guard try fields.contents(.objectIdentifier, name) == identifier else {
            throw fields.wrong("\(name) is another one than expected")
        }
    }

    private static func takeVersion(from fields: inout DERFields) throws(CredentialsError) {
        guard try fields.integer("the version") == version3 else { throw fields.wrong("a version is not 3") }
    }

    /// True if the owner of a key signed the content.
    package func isSigned(by signer: P256PublicKey) -> Bool { signer.isValidSignature(signature, for: content) }

    /// Signs content, as a certification authority does.
    /// - Parameter keyIdentifier: what names the key, 20 bytes; by default its SHA-1 digest.
    package init(
        content: [UInt8], signedWith key: P256PrivateKey, keyIdentifier: [UInt8]? = nil
    ) throws(CredentialsError) {
        let identifier = keyIdentifier ?? key.publicKey.keyIdentifier
        let raw = try cryptographic { () throws(CryptoError) in try key.sign(content) }
        let signature = try cryptographic { () throws(CryptoError) in try ECDSASignature.rawToDER(raw) }
        var coder = DER.Serializer()
        coder.sequence { message in
            message.primitive(.objectIdentifier, Self.signedData)
            message.sequence(.context(0)) {
                $0.sequence { signed in
                    signed.primitive(.integer, Self.version3)
                    signed.sequence(.set) { Self.appendSHA256(to: &$0) }
                    signed.sequence {
                        $0.primitive(.objectIdentifier, Self.data)
                        $0.sequence(.context(0)) { $0.primitive(.octetString, content) }
                    }
                    signed.sequence(.set) {
                        $0.sequence { signer in
                            signer.primitive(.integer, Self.version3)
                            signer.primitive(.context(0), identifier)
                            Self.appendSHA256(to: &signer)
                            signer.ecdsaWithSHA256()
                            signer.primitive(.octetString, signature)
                        }
                    }
                }
            }
        }
        cms = coder.serializedBytes
        trailingCount = 0
        self.content = content
        signerKeyIdentifier = identifier
        self.signature = raw
    }

    private static func appendSHA256(to coder: inout DER.Serializer) {
        coder.sequence { $0.primitive(.objectIdentifier, sha256) }
    }
}
