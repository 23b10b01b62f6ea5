@testable import MatterCrypto

extension FuzzEntry {
    /// A device's proof of its origin.
    static let attestation = [
        FuzzEntry("declaration") {
            try Seeds.declarations()
        } run: { bytes in
            var depth = Depth.refused
            if let declaration = try? CertificationDeclaration(cms: bytes) {
                depth = .deep
                precondition(declaration.cms == Array(bytes.dropLast(declaration.trailingCount)))
                _ = try? CertificationElements(decoding: declaration.content)
            }
            return depth | accepts { _ = try CertificationElements(decoding: bytes) }
        },
        FuzzEntry("attestation-elements") {
            try Seeds.attestationElements()
        } run: { bytes in
            accepts { _ = try AttestationElements(decoding: bytes) }
        },
        FuzzEntry("attestation") {
            try Seeds.evidence()
        } run: { bytes in
            // All that a device answers at once, judged to the end.
            let pieces = Array(Pieces(bytes))
            guard pieces.count >= 4, let verifier = try? Seeds.verifier.get() else { return .refused }
            let evidence = AttestationEvidence(
                dac: pieces[0], pai: pieces[1],
                response: AttestationResponse(elements: pieces[2], signature: pieces[3]), nonce: Seeds.nonce,
                attestationChallenge: Seeds.challenge, vendorID: Seeds.vendorID, productID: Seeds.productID)
            let report = verifier.verify(evidence, at: .now(Seeds.now))
            _ = "\(report)"
            return (try? AttestationCertificate(der: pieces[0])) != nil ? .deep : .refused
        },
        FuzzEntry("revocation") {
            Seeds.revocations
        } run: { bytes in
            accepts { _ = try RevocationSet(json: bytes) }
        },
        FuzzEntry("revocation-list") {
            Seeds.revocationLists
        } run: { bytes in
            accepts { _ = try CertificateRevocationList(der: bytes) }
        },
    ]
}
