/// A certificate authority of our own for devices in development: a PAA or a PAI with its key.
package struct AttestationAuthority: Sendable {
    package let certificate: AttestationCertificate
    package let key: P256PrivateKey

    // memberwise: package

    /// A new root (PAA).
    /// - Parameter vendorID: the only vendor it may vouch for; `nil` for any.
    package static func root(
        commonName: String, vendorID: VendorID? = nil, key: P256PrivateKey, validity: CertificateValidity,
        random: any RandomSource = SystemRandom()
    ) throws(CredentialsError) -> AttestationAuthority {
        let name = AttestationName(commonName: commonName, vendorID: vendorID)
        let template = try AttestationCertificateTemplate(
            .paa, subject: name, publicKey: key.publicKey, issuer: name, issuerKey: key.publicKey, validity: validity,
            random: random)
        return AttestationAuthority(
            certificate: try AttestationCertificate(der: try template.signed(with: key)), key: key)
    }

    /// A new intermediate (PAI) under this root.
    /// - Parameter productID: the only product it may vouch for; `nil` for any.
    package func intermediate(
        commonName: String, vendorID: VendorID, productID: UInt16? = nil, key: P256PrivateKey,
        validity: CertificateValidity, random: any RandomSource = SystemRandom()
    ) throws(CredentialsError) -> AttestationAuthority {
        let name = AttestationName(commonName: commonName, vendorID: vendorID, productID: productID)
        return AttestationAuthority(
            certificate: try issue(.pai, name, key.publicKey, validity, random), key: key)
    }

    /// A new device certificate (DAC) under this intermediate.
    package func device(
        commonName: String, vendorID: VendorID, productID: UInt16, publicKey: P256PublicKey,
        validity: CertificateValidity, random: any RandomSource = SystemRandom()
    ) throws(CredentialsError) -> AttestationCertificate {
        let name = AttestationName(commonName: commonName, vendorID: vendorID, productID: productID)
        return try issue(.dac, name, publicKey, validity, random)
    }

    private func issue(
        _ kind: AttestationCertificateKind, _ subject: AttestationName, _ publicKey: P256PublicKey,
        _ validity: CertificateValidity, _ random: any RandomSource
    ) throws(CredentialsError) -> AttestationCertificate {
        let template = try AttestationCertificateTemplate(
            kind, subject: subject, publicKey: publicKey, issuer: certificate.subject, issuerKey: key.publicKey,
            validity: validity, random: random)
        return try AttestationCertificate(der: try template.signed(with: key))
    }
}
