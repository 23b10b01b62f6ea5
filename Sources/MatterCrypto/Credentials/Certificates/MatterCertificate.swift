import MatterBase
import SwiftASN1

/// An operational certificate in its two forms: Matter TLV, which nodes exchange, and X.509 DER, which is signed
/// (Matter core specification, 6.5).
///
/// Decoding is strict about form and forgiving about nothing but the width of TLV integers; whether a certificate fits its
/// place in a chain is for ``OperationalChain`` to say. Two certificates are equal if their TLV bytes are.
public struct MatterCertificate: Sendable {
    /// The longest TLV form.
    package static let maximumTLVCount = 400
    /// The longest DER form.
    static let maximumDERCount = 600
    /// A signature: r and s, 32 bytes each.
    static let signatureCount = 64

    private static let limits = TLVLimits(depth: 4, elements: 160)

    /// The Matter TLV form; of a certificate decoded from TLV the very bytes it came as.
    package let tlv: [UInt8]
    /// Everything but the signature.
    package let tbs: TBSCertificate
    /// The ECDSA signature over ``tbsDER()``: r and s.
    package let signature: [UInt8]

    package var serialNumber: [UInt8] { tbs.serialNumber }
    package var issuer: DistinguishedName { tbs.issuer }
    package var subject: DistinguishedName { tbs.subject }
    /// The first second in which it is valid, since 2000, UTC.
    public var notBefore: UInt32 { tbs.notBefore }
    /// The last second in which it is valid, since 2000, UTC; 0 for no end.
    public var notAfter: UInt32 { tbs.notAfter }
    package var publicKey: P256PublicKey { tbs.publicKey }
    package var extensions: [CertificateExtension] { tbs.extensions }

    /// Decodes the Matter TLV form.
    ///
    /// - Throws: ``CredentialsError``.
    public init(tlv: [UInt8]) throws(CredentialsError) {
        guard tlv.count <= Self.maximumTLVCount else {
            throw CredentialsError(
                .tooLarge, "a certificate of \(tlv.count) bytes, at most \(Self.maximumTLVCount) allowed")
        }
        var fields = try OrderedTLVFields(
            decoding: tlv, "the certificate", code: .malformed, limits: Self.limits)
        tbs = try TBSCertificate(tlv: &fields)
        signature = try fields.octets(11, "the signature")
        try fields.end()
        guard signature.count == Self.signatureCount else {
            throw CredentialsError(.malformed, "a signature of \(signature.count) bytes instead of 64")
        }
        self.tlv = tlv
    }

    /// Decodes the X.509 form.
    package init(der: [UInt8]) throws(CredentialsError) {
        guard der.count <= Self.maximumDERCount else {
            throw CredentialsError(
                .tooLarge, "an X.509 certificate of \(der.count) bytes, at most \(Self.maximumDERCount) allowed")
        }
        var fields = try DERFields(decoding: der, "the certificate", code: .malformed)
        let tbs = try TBSCertificate(der: try fields.fields("the certificate's contents"))
        try fields.ecdsaWithSHA256("the signature algorithm")
        let signature = try fields.wholeOctetBits("the signature")
        try fields.end()
        let raw: [UInt8]
        do { raw = try ECDSASignature.derToRaw(signature) } catch {
            throw CredentialsError(.malformed, error.reason)
        }
        try self.init(tbs, signature: raw)
        // The signature covers these bytes: a certificate that does not come back the same could not be checked.
        guard try self.der() == der else {
            throw CredentialsError(.notConvertible, "the certificate does not survive conversion to the Matter form")
        }
    }

    /// Puts a signature to the contents.
    package init(_ tbs: TBSCertificate, signature: [UInt8]) throws(CredentialsError) {
        guard signature.count == Self.signatureCount else {
            throw CredentialsError(.malformed, "a signature of \(signature.count) bytes instead of 64")
        }
        tlv = tbs.tlv(signature: signature)
        guard tlv.count <= Self.maximumTLVCount else {
            throw CredentialsError(
                .tooLarge, "a certificate of \(tlv.count) bytes, at most \(Self.maximumTLVCount) allowed")
        }
        self.tbs = tbs
        self.signature = signature
    }

    /// The X.509 form.
    /// - Throws: ``CredentialsError`` if it is longer than 600 bytes.
    package func der() throws(CredentialsError) -> [UInt8] {
        let signature: [UInt8]
        do { signature = try ECDSASignature.rawToDER(self.signature) } catch {
            throw CredentialsError(.malformed, error.reason)
        }
        var coder = DER.Serializer()
        coder.sequence {
            $0.serializeRawBytes(tbsDER())
            $0.ecdsaWithSHA256()
            $0.wholeOctetBits(signature)
        }
        let der = coder.serializedBytes
        guard der.count <= Self.maximumDERCount else {
            throw CredentialsError(
                .tooLarge, "an X.509 certificate of \(der.count) bytes, at most \(Self.maximumDERCount) allowed")
        }
        return der
    }

    /// The bytes that the signature covers.
    func tbsDER() -> [UInt8] { tbs.der() }

    /// True if the owner of a key signed this certificate.
    package func isSigned(by issuer: P256PublicKey) -> Bool {
        issuer.isValidSignature(signature, for: tbsDER())
    }
}

extension MatterCertificate: Hashable {
    /// Whether both mean the same.
    public static func == (left: MatterCertificate, right: MatterCertificate) -> Bool { left.tlv == right.tlv }

    /// Adds what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(tlv) }
}

extension MatterCertificate {
    package var basicConstraints: BasicConstraints? {
        for case .basicConstraints(let constraints) in extensions { return constraints }
        return nil
    }

    package var keyUsage: KeyUsage? {
        for case .keyUsage(let usage) in extensions { return usage }
        return nil
    }

    package var extendedKeyUsage: [KeyPurpose]? {
        for case .extendedKeyUsage(let purposes) in extensions { return purposes }
        return nil
    }

    package var subjectKeyIdentifier: [UInt8]? {
        for case .subjectKeyIdentifier(let identifier) in extensions { return identifier }
        return nil
    }

    package var authorityKeyIdentifier: [UInt8]? {
        for case .authorityKeyIdentifier(let identifier) in extensions { return identifier }
        return nil
    }
}
