import SwiftASN1

/// The contents of a certificate, without the signature (Matter core specification, 6.5.2).
///
/// The signature of a Matter certificate covers the X.509 form of this, ``der()``, whichever form was exchanged.
package struct TBSCertificate: Hashable, Sendable {
    /// How many bytes a serial number may have.
    static let serialNumberCounts = 1...20

    /// The contents bytes of the X.509 INTEGER.
    package let serialNumber: [UInt8]
    package let issuer: DistinguishedName
    /// The first second of validity, in Matter time.
    package let notBefore: UInt32
    /// The last second of validity, in Matter time; 0 for no end.
    package let notAfter: UInt32
    package let subject: DistinguishedName
    package let publicKey: P256PublicKey
    /// The extensions in their order.
    package let extensions: [CertificateExtension]

    /// - Throws: ``CredentialsError`` for contents that no valid certificate can have.
    package init(
        serialNumber: [UInt8], issuer: DistinguishedName, notBefore: UInt32, notAfter: UInt32,
        subject: DistinguishedName, publicKey: P256PublicKey, extensions: [CertificateExtension]
    ) throws(CredentialsError) {
        guard Self.serialNumberCounts.contains(serialNumber.count), DERFields.isInteger(serialNumber) else {
            throw CredentialsError(.malformed, "the serial number is not a shortest INTEGER of 1 to 20 bytes")
        }
        guard notAfter == MatterEpoch.none || notBefore <= notAfter else {
            throw CredentialsError(
                .invalidValidity,
                "the validity ends at \(MatterEpoch.text(notAfter)), before it begins at \(MatterEpoch.text(notBefore))"
            )
        }
        try CertificateExtension.check(extensions)
        self.serialNumber = serialNumber
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.subject = subject
        self.publicKey = publicKey
        self.extensions = extensions
    }

    /// The DER TBSCertificate (RFC 5280, 4.1).
    package func der() -> [UInt8] {
        var coder = DER.Serializer()
        coder.sequence { encode(into: &$0) }
        return coder.serializedBytes
    }

    private func encode(into coder: inout DER.Serializer) {
        coder.sequence(.context(0)) { $0.primitive(.integer, [Self.version3]) }
        coder.primitive(.integer, serialNumber)
        coder.ecdsaWithSHA256()
        issuer.encode(into: &coder)
        coder.sequence {
            CertificateTime.encode(notBefore, into: &$0)
            CertificateTime.encode(notAfter, into: &$0)
        }
        subject.encode(into: &coder)
        coder.p256PublicKey(publicKey.x963)
        coder.sequence(.context(3)) {
            $0.sequence {
                for one in extensions { one.encode(into: &$0) }
            }
        }
    }

    /// Reads a DER TBSCertificate.
    init(der fields: consuming DERFields) throws(CredentialsError) {
        var version = try fields.fields("the version", .context(0))
        guard try version.integer("the version") == [Self.version3] else {
            throw fields.wrong("the X.509 version is not 3")
        }
        try version.end()
        let serialNumber = try fields.integer("the serial number")
        try fields.ecdsaWithSHA256("the signature algorithm")
        let issuer = try DistinguishedName(der: try fields.next("the issuer"), "issuer")
        var validity = try fields.fields("the validity")
        let notBefore = try CertificateTime.decode(try validity.next("not before"), "not before")
        let notAfter = try CertificateTime.decode(try validity.next("not after"), "not after")
        try validity.end()
        let subject = try DistinguishedName(der: try fields.next("the subject"), "subject")
        let publicKey = try P256PublicKey(certified: try fields.p256PublicKey("the public key"))
        var wrapper = try fields.fields("the extensions", .context(3))
        try fields.end()
        var list = try wrapper.fields("the extensions")
        try wrapper.end()
        var extensions: [CertificateExtension] = []
        while !list.isAtEnd { extensions.append(try CertificateExtension(der: try list.next("an extension"))) }
        try self.init(
            serialNumber: serialNumber, issuer: issuer, notBefore: notBefore, notAfter: notAfter, subject: subject,
            publicKey: publicKey, extensions: extensions)
    }

    private static let version3: UInt8 = 2
}

extension P256PublicKey {
    /// The key of a certificate or request.
    init(certified point: [UInt8]) throws(CredentialsError) {
        do { try self.init(x963: point) } catch {
            throw CredentialsError(.invalidPublicKey, "the public key is not an uncompressed point on P-256")
        }
    }

    /// The identifier of the key in certificates: the SHA-1 digest of the point (RFC 5280, 4.2.1.2).
    package var keyIdentifier: [UInt8] { SHA1.hash(x963) }
}
