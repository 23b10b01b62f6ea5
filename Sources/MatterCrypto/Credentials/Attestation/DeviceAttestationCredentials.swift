/// The credentials of a device: its certificates, its declaration and its key (Matter core specification, 6.2).
package struct DeviceAttestationCredentials: Sendable {
    /// DER.
    package let dac: [UInt8]
    /// DER.
    package let pai: [UInt8]
    /// CMS.
    package let certificationDeclaration: [UInt8]
    package let key: P256PrivateKey

    // memberwise: package

    /// The certificate that a CertificateChainRequest asks for: 1 for the DAC, 2 for the PAI; `nil` for any other type.
    package func certificate(type: UInt8) -> [UInt8]? {
        switch type {
        case 1: dac
        case 2: pai
        default: nil
        }
    }

    /// Answers an AttestationRequest.
    /// - Throws: ``AttestationError`` for a nonce of another length than 32 bytes; ``CredentialsError``.
    package func respond(nonce: [UInt8], attestationChallenge: [UInt8]) throws -> AttestationResponse {
        try AttestationElements(certificationDeclaration: certificationDeclaration, nonce: nonce)
            .signed(with: key, attestationChallenge: attestationChallenge)
    }
}
