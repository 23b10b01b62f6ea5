/// A complete set of keys and certificates of our own making, as a virtual device needs it and a test bench can trust.
package struct DevelopmentAttestation: Sendable {
    package let paa: AttestationAuthority
    package let pai: AttestationAuthority
    /// The key that signed the declaration.
    package let declarationKey: P256PrivateKey
    package let credentials: DeviceAttestationCredentials

    /// The certificate id of uncertified declarations.
    private static let certificateID = "CSA00000SWC00000-00"

    /// Makes PAA, PAI, DAC and certification declaration for a product, valid from an hour ago without end.
    ///
    /// - Parameters:
    ///   - now: Matter seconds.
    ///   - paa: the authority to use; `nil` for a new one.
    ///   - declarationKey: the key that signs the declaration; `nil` for a new one.
    package static func make(
        vendorID: VendorID, productID: UInt16, deviceTypeID: UInt32, now: UInt32, paa: AttestationAuthority? = nil,
        declarationKey: P256PrivateKey? = nil, random: any RandomSource = SystemRandom()
    ) throws(CredentialsError) -> DevelopmentAttestation {
        func newKey() throws(CredentialsError) -> P256PrivateKey {
            try cryptographic { () throws(CryptoError) in try P256PrivateKey.generate(random) }
        }
        let validity = CertificateValidity.unlimited(from: now)
        let root: AttestationAuthority
        if let paa {
            root = paa
        } else {
            root = try AttestationAuthority.root(
                commonName: "Development PAA", key: try newKey(), validity: validity, random: random)
        }
        let intermediate = try root.intermediate(
            commonName: "Development PAI", vendorID: vendorID, key: try newKey(), validity: validity, random: random)
        let deviceKey = try newKey()
        let dac = try intermediate.device(
            commonName: "Development DAC", vendorID: vendorID, productID: productID, publicKey: deviceKey.publicKey,
            validity: validity, random: random)
        let signer: P256PrivateKey
        if let declarationKey { signer = declarationKey } else { signer = try newKey() }
        let elements = CertificationElements(
            vendorID: vendorID, productIDs: [productID], deviceTypeID: deviceTypeID, certificateID: certificateID,
            certificationType: .developmentAndTest)
        let declaration = try CertificationDeclaration(content: elements.encoded(), signedWith: signer)
        return DevelopmentAttestation(
            paa: root, pai: intermediate, declarationKey: signer,
            credentials: DeviceAttestationCredentials(
                dac: dac.der, pai: intermediate.certificate.der, certificationDeclaration: declaration.cms,
                key: deviceKey))
    }
}
