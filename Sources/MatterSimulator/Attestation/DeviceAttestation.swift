package import MatterState

/// The attestation credentials of virtual devices: an authority of our own making for each state directory, and under it
/// credentials for each product.
///
/// The certification declaration is signed with the test key that the reference implementation publishes for devices in
/// development, because official controllers accept no other signer, whatever authorities (PAA) they trust. That key is
/// public and proves nothing: its number is a fact of public test data, and no maker of real devices trusts it.
package enum DeviceAttestation {
    /// The private half of the key whose public half is `WellKnownKeys.developmentDeclarationSigners`.
    private static let developmentDeclarationScalar: [UInt8] = [
        0xAE, 0xF3, 0x48, 0x41, 0x16, 0xE9, 0x48, 0x1E, 0xC5, 0x7B, 0xE0, 0x47, 0x2D, 0xF4, 0x1B, 0xF4, 0x99, 0x06,
        0x4E,
        0x50, 0x24, 0xAD, 0x86, 0x9E, 0xCA, 0x5E, 0x88, 0x98, 0x02, 0xD4, 0x80, 0x75,
    ]

    private static let authorityRecord = "attestation/paa"

    /// Credentials with the certificate of the authority (PAA) behind them, DER.
    package struct Made: Sendable {
        package var credentials: DeviceAttestationCredentials
        package var authority: [UInt8]
    }

    /// The credentials of a product: those of an earlier run, or new ones.
    ///
    /// - Parameters:
    ///   - state: `nil` for credentials that are made again every time.
    ///   - now: Matter seconds.
    package static func credentials(
        vendorID: UInt16, productID: UInt16, deviceType: DeviceTypeID, state: StateDirectory?, now: UInt32,
        random: any RandomSource = SystemRandom()
    ) throws -> Made {
        let record =
            "attestation/\(Hex.number(vendorID, digits: 4, uppercase: true))-\(Hex.number(productID, digits: 4, uppercase: true))"
        let authority = try loadAuthority(state)
        if let authority, let state, let saved = try state.readSecret(record) {
            return Made(credentials: try credentials(saved), authority: authority.certificate.der)
        }
        let made = try DevelopmentAttestation.make(
            vendorID: VendorID(vendorID), productID: productID, deviceTypeID: deviceType.rawValue, now: now,
            paa: authority,
            declarationKey: try P256PrivateKey(scalar: SecretBytes(developmentDeclarationScalar)), random: random)
        if let state {
            if authority == nil {
                try state.writeSecret(
                    authorityRecord, encode([made.paa.certificate.der, made.paa.key.scalar.copyBytes()]))
            }
            let credentials = made.credentials
            try state.writeSecret(
                record,
                encode([
                    credentials.dac, credentials.pai, credentials.certificationDeclaration,
                    credentials.key.scalar.copyBytes(),
                ]))
        }
        return Made(credentials: made.credentials, authority: made.paa.certificate.der)
    }

    private static func encode(_ parts: [[UInt8]]) -> [UInt8] {
        TLVElement(.anonymous, .array(of: parts.map { .octets($0) })).encoded()
    }

    private static func decode(_ record: [UInt8], count: Int) throws(SimulatorError) -> [[UInt8]] {
        guard let parts = try? TLVElement(decoding: record).value.items?.compactMap(\.octetString), parts.count == count
        else { throw SimulatorError(.damagedState, "the saved attestation credentials do not decode") }
        return parts
    }

    private static func loadAuthority(_ state: StateDirectory?) throws -> AttestationAuthority? {
        guard let saved = try state?.readSecret(authorityRecord) else { return nil }
        let parts = try decode(saved, count: 2)
        return AttestationAuthority(
            certificate: try AttestationCertificate(der: parts[0]),
            key: try P256PrivateKey(scalar: SecretBytes(parts[1])))
    }

    private static func credentials(_ record: [UInt8]) throws -> DeviceAttestationCredentials {
        let parts = try decode(record, count: 4)
        return DeviceAttestationCredentials(
            dac: parts[0], pai: parts[1], certificationDeclaration: parts[2],
            key: try P256PrivateKey(scalar: SecretBytes(parts[3])))
    }
}
