/// The use of a certificate from a trusted folder.
enum TrustedCertificate {
    case authority(TrustAnchor)
    case declarationSigner(DeclarationSigner)

    /// Tells authorities (PAA) from signers of certification declarations.
    ///
    /// The two look alike: a signing key of the Alliance has the extensions of a PAI, the development one those of a PAA.
    /// A signer is one whose key is known, or whom the Alliance's authority for declarations certified, or a certificate
    /// that the user put into the folder for signers. An authority is any other root, unless it calls itself a signer.
    init(
        _ certificate: AttestationCertificate, purpose: TrustFile.Purpose = .authorities, origin: TrustOrigin
    ) throws(CredentialsError) {
        guard let keyIdentifier = certificate.subjectKeyIdentifier,
            keyIdentifier.count == CertificateExtension.keyIdentifierCount
        else {
            throw CredentialsError(.wrongKeyIdentifier, "the certificate has no subject key identifier of 20 bytes")
        }
        if purpose == .declarationSigners || Self.signsDeclarations(certificate) {
            self = .declarationSigner(
                DeclarationSigner(
                    keyIdentifier: keyIdentifier, publicKey: certificate.publicKey, subject: certificate.subject,
                    origin: origin))
            return
        }
        guard !Self.callsItselfSigner(certificate.subject) else {
            throw CredentialsError(
                .wrongType,
                "\(certificate.subject) is not certified by the Alliance's authority for declarations; to trust it for "
                    + "them, put it into the sub-folder \(TrustDirectory.signersFolder)")
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
        return false
    }

    /// True if a common name mentions certification declarations or their abbreviation. Such a root is not an authority
    /// for devices.
    private static func callsItselfSigner(_ subject: AttestationName) -> Bool {
        subject.attributes.filter { $0.type == AttestationName.commonNameType }.contains { attribute in
            let name = String(decoding: attribute.value, as: UTF8.self).lowercased()
            let words = name.split { !$0.isLetter && !$0.isNumber }
            return name.contains("certification declaration") || words.contains("cd") && !words.contains("paa")
        }
    }
}

extension TrustFile {
    /// The certificates in a file, as DER: one in DER form, or all blocks of a PEM text.
    package func certificates() throws(CredentialsError) -> [[UInt8]] {
        guard contents.count <= TrustStore.maximumFileCount else {
            throw CredentialsError(.tooLarge, "the file is longer than \(TrustStore.maximumFileCount) bytes")
        }
        if contents.first == 0x30 { return [contents] }
        let text = String(decoding: contents, as: UTF8.self)
        let certificates = try PEM.decode(text).filter { $0.label == PEM.certificate }.map(\.contents)
        guard !certificates.isEmpty else { throw CredentialsError(.malformed, "the file contains no certificate") }
        return certificates
    }
}
