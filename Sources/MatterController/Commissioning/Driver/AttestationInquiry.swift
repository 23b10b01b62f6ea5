import MatterNetwork

/// Asks a device for its attestation; nothing on the device changes.
struct AttestationInquiry: Sendable {
    private static let nonceCount = 32

    /// A PASE session, or a CASE session of an administrator.
    let session: SecureSession
    let random: any RandomSource
    let deadline: Instant

    /// - Throws: ``CommissioningError`` if the device refuses; ``TransportError``, `InteractionError`.
    func evidence() async throws -> AttestationEvidence {
        let channel = CommissioningChannel(session: session, deadline: deadline)
        let information = DeviceInformation(try await channel.read(DeviceInformation.productPaths))
        typealias Chain = NodeOperationalCredentials.CertificateChainResponse.Field
        let pai = try await ask(.certificateChain(.paiCertificate), on: channel).required(Chain.certificate)
        let dac = try await ask(.certificateChain(.dacCertificate), on: channel).required(Chain.certificate)
        let nonce = try random.bytes(Self.nonceCount)
        let answer = try await ask(.attestation(nonce: nonce), on: channel)
        return AttestationEvidence(
            dac: dac, pai: pai,
            response: try answer.attestation(),
            nonce: nonce, attestationChallenge: session.established.keys.attestationChallenge.copyBytes(),
            vendorID: VendorID(information.vendorID ?? 0), productID: information.productID ?? 0)
    }

    private func ask(
        _ command: CommissioningCommand, on channel: CommissioningChannel
    ) async throws -> CommissioningAnswer {
        try CommissioningAnswer(try await channel.invoke(command), to: command, stage: .attestation)
    }
}
