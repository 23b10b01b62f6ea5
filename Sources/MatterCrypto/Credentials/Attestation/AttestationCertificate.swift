import SwiftASN1

/// A product attestation authority (PAA), product attestation intermediate (PAI) or device attestation certificate
/// (DAC), or one that signs certification declarations (Matter core specification, 6.2.2).
///
/// Decoding checks the form and the cryptography that all of them share: X.509 version 3, P-256, ECDSA with SHA-256,
/// no extension twice. What a certificate must say in its place is for ``checkProfile(as:)``.
package struct AttestationCertificate: Sendable {
    /// The longest DER form.
    package static let maximumCount = 600
    /// RFC 5280, 4.1.2.2: twenty bytes, here with the zero that keeps a number positive.
    private static let maximumSerialNumberCount = 21
    private static let version3: [UInt8] = [2]

    /// The bytes that were decoded.
    package let der: [UInt8]
    /// The bytes that the signature covers.
    package let tbs: [UInt8]
    /// The contents bytes of the INTEGER.
    package let serialNumber: [UInt8]
    package let issuer: AttestationName
    package let subject: AttestationName
    package let validity: AttestationValidity
    package let publicKey: P256PublicKey
    /// In the order of the encoding.
    package let extensions: [AttestationExtension]
    package let basicConstraints: BasicConstraints?
    package let keyUsage: KeyUsage?
    package let subjectKeyIdentifier: [UInt8]?
    package let authorityKeyIdentifier: [UInt8]?
    /// r and s, 64 bytes.
    package let signature: [UInt8]

    /// Decodes the DER form.
    package init(der: [UInt8]) throws(CredentialsError) {
        guard der.count <= Self.maximumCount else {
            throw CredentialsError(
                .tooLarge, "an attestation certificate of \(der.count) bytes, at most \(Self.maximumCount) allowed")
        }
        var certificate = try DERFields(decoding: der, "the certificate", code: .malformed)
        let contents = try certificate.next("the certificate's contents")
        try certificate.algorithm(ObjectIdentifier.ecdsaWithSHA256, "the signature algorithm")
        let signature = try certificate.wholeOctetBits("the signature")
        try certificate.end()
        do { self.signature = try ECDSASignature.derToRaw(signature) } catch {
            throw CredentialsError(.malformed, error.reason)
        }
        self.der = der
        tbs = Array(contents.encodedBytes)

        var fields = try DERFields(contents, name: "the certificate's contents", code: .malformed)
        var version = try fields.fields("the version", .context(0))
        guard try version.integer("the version") == Self.version3 else {
            throw fields.wrong("the X.509 version is not 3")
        }
        try version.end()
        serialNumber = try fields.integer("the serial number")
        guard serialNumber.count <= Self.maximumSerialNumberCount else {
            throw fields.wrong("the serial number has more than 20 bytes")
        }
        try fields.algorithm(ObjectIdentifier.ecdsaWithSHA256, "the signature algorithm")
        issuer = try AttestationName(try fields.next("the issuer"), "the issuer")
        validity = try Self.validity(try fields.fields("the validity"))
        subject = try AttestationName(try fields.next("the subject"), "the subject")
        publicKey = try P256PublicKey(certified: try fields.p256PublicKey("the public key"))
        extensions = try Self.extensions(fields)

        var constraints: BasicConstraints?
        var usage: KeyUsage?
        var subjectKey: [UInt8]?
        var authorityKey: [UInt8]?
        for one in extensions {
            switch one.objectIdentifier {
            case ObjectIdentifier.basicConstraints:
                constraints = try AttestationExtension.basicConstraints(in: one.value)
            case ObjectIdentifier.keyUsage: usage = try AttestationExtension.keyUsage(in: one.value)
            case ObjectIdentifier.subjectKeyIdentifier:
                subjectKey = try AttestationExtension.subjectKeyIdentifier(in: one.value)
            case ObjectIdentifier.authorityKeyIdentifier:
                authorityKey = try AttestationExtension.authorityKeyIdentifier(in: one.value)
            default: break
            }
        }
        basicConstraints = constraints
        keyUsage = usage
        subjectKeyIdentifier = subjectKey
        authorityKeyIdentifier = authorityKey
    }

    private static func validity(_ members: DERFields) throws(CredentialsError) -> AttestationValidity {
        var fields = members
        let notBefore = try X509Time.decode(try fields.next("not before"), "not before")
        let notAfter = try X509Time.decode(try fields.next("not after"), "not after")
        try fields.end()
        return AttestationValidity(notBefore: notBefore, notAfter: notAfter)
    }

    private static func extensions(_ members: DERFields) throws(CredentialsError) -> [AttestationExtension] {
        var fields = members
        guard !fields.isAtEnd else { return [] }
        var wrapper = try fields.fields("the extensions", .context(3))
        try fields.end()
        let list = try wrapper.fields("the extensions")
        try wrapper.end()
        return try AttestationExtension.list(list)
    }

    /// True if the owner of a key signed this certificate.
    package func isSigned(by issuer: P256PublicKey) -> Bool { issuer.isValidSignature(signature, for: tbs) }

    /// True if the certificate names its own subject as its issuer.
    package var isSelfIssued: Bool { issuer == subject }

    /// The serial number as lists of revoked certificates spell it: without the zero that keeps it positive.
    package var serialNumberDigits: [UInt8] {
        serialNumber.count > 1 && serialNumber.first == 0 ? Array(serialNumber.dropFirst()) : serialNumber
    }
}

extension AttestationCertificate: Hashable {
    package static func == (left: AttestationCertificate, right: AttestationCertificate) -> Bool {
        left.der == right.der
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
