/// What a certificate from a trusted folder is good for.
enum TrustedCertificate {
    case authority(TrustAnchor)
    case declarationSigner(DeclarationSigner)

    /// Tells authorities (PAA) from signers of certification declarations.
    ///
    /// The two look alike: a signing key of the Alliance has the extensions of a PAI, the development one those of a PAA.
    /// So a signer is what is known as one by its key or its authority, what calls itself one, or what is a plain signing
    /// certificate of no device. An authority is what remains, if it is a root.
    init(_ certificate: AttestationCertificate, origin: TrustOrigin) throws(CredentialsError) {
        guard let keyIdentifier = certificate.subjectKeyIdentifier,
            keyIdentifier.count == CertificateExtension.keyIdentifierCount
        else {
            throw CredentialsError(.wrongKeyIdentifier, "the certificate has no subject key identifier of 20 octets")
        }
        if Self.signsDeclarations(certificate) {
            self = .declarationSigner(
                DeclarationSigner(
                    keyIdentifier: keyIdentifier, publicKey: certificate.publicKey, subject: certificate.subject,
                    origin: origin))
            return
        }
        guard certificate.isSelfIssued, let anchor = TrustAnchor(certificate, origin: origin) else {
            throw CredentialsError(
                .wrongType,
                "\(certificate.subject) is neither the root of an attestation chain (PAA) nor a signer of declarations")
        }
        guard certificate.basicConstraints?.isCA == true else {
            throw CredentialsError(.wrongBasicConstraints, "\(certificate.subject) is not a certificate authority")
        }
        guard certificate.isSigned(by: certificate.publicKey) else {
            throw CredentialsError(.invalidSignature, "the root \(certificate.subject) is not signed with its own key")
        }
        self = .authority(anchor)
    }

    private static func signsDeclarations(_ certificate: AttestationCertificate) -> Bool {
        let known = WellKnownKeys.declarationSigners + WellKnownKeys.developmentDeclarationSigners
        if known.contains(where: { $0.publicKey == certificate.publicKey }) { return true }
        if let authority = WellKnownKeys.declarationAuthority, certificate.issuer == authority.subject,
            !certificate.isSelfIssued, certificate.isSigned(by: authority.publicKey)
        {
            return true
        }
        let commonNames = certificate.subject.attributes.filter { $0.type == AttestationName.commonNameType }
        if commonNames.contains(where: { callsItselfSigner(String(decoding: $0.value, as: UTF8.self).lowercased()) }) {
            return true
        }
        return isPlainSigner(certificate)
    }

    /// Whether a common name speaks of certification declarations, also by their abbreviation.
    private static func callsItselfSigner(_ name: String) -> Bool {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        return name.contains("certification declaration") || words.contains("cd") && !words.contains("paa")
    }

    /// Whether a certificate is for signatures, but not an authority's and not a device's.
    private static func isPlainSigner(_ certificate: AttestationCertificate) -> Bool {
        guard certificate.basicConstraints?.isCA != true, let usage = certificate.keyUsage,
            usage.contains(.digitalSignature),
            let names = try? VendorAndProduct(subject: certificate.subject)
        else { return false }
        return names.productID == nil
    }
}

extension TrustFile {
    /// The certificates in a file, as DER: one in DER form, or all blocks of a PEM text.
    func certificates() throws(CredentialsError) -> [[UInt8]] {
        guard contents.count <= TrustStore.maximumFileCount else {
            throw CredentialsError(.tooLarge, "the file is longer than \(TrustStore.maximumFileCount) octets")
        }
        if contents.first == 0x30 { return [contents] }
        let text = String(decoding: contents, as: UTF8.self)
        let certificates = try PEM.decode(text).filter { $0.label == PEM.certificate }.map(\.contents)
        guard !certificates.isEmpty else { throw CredentialsError(.malformed, "the file holds no certificate") }
        return certificates
    }
}
