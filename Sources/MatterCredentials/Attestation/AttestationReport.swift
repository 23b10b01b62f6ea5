package import MatterCrypto
package import MatterErrors

/// The verdict on a device's attestation.
package enum AttestationVerdict: String, Sendable, CaseIterable {
    /// The device is what it says, by authorities that the user or the ledger trusts.
    case trusted
    /// Valid by a development authority or declaration key, with which anyone can sign.
    case test
    case untrusted
    /// Nothing was checked.
    case skipped
}

/// The steps of a verification in the order in which a failure counts.
package enum AttestationStep: String, Sendable, CaseIterable, CustomStringConvertible {
    case inputs
    case paiFormat = "pai-format"
    case dacFormat = "dac-format"
    case identifiers
    case attestationSignature = "attestation-signature"
    case authority
    case dacValidity = "dac-validity"
    case chain
    case elements
    case nonce
    case declarationSigner = "declaration-signer"
    case declarationSignature = "declaration-signature"
    case declarationContent = "declaration-content"
    case declarationRules = "declaration-rules"
    case revocation

    package var description: String { rawValue }
}

/// One step and what came of it.
package struct AttestationCheck: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        case passed
        case failed(AttestationResult)
        /// The step could not be taken, or there was nothing to check.
        case skipped
    }

    package let step: AttestationStep
    package let outcome: Outcome
    /// The comparison, or the reason for a failure or skip, as text.
    package let detail: String

    package init(_ step: AttestationStep, _ outcome: Outcome, _ detail: String) {
        self.step = step
        self.outcome = outcome
        self.detail = detail
    }
}

/// Everything that verifying a device's attestation brought to light.
///
/// All steps are taken as far as they can be, so that a person sees more than the first fault; the first one in the order
/// of ``AttestationStep`` is the result.
package struct AttestationReport: Sendable, Hashable {
    package var verdict: AttestationVerdict
    /// The first failure, or success; `nil` where nothing was checked.
    package var result: AttestationResult?
    package var failedStep: AttestationStep?
    package var checks: [AttestationCheck] = []

    /// The device's certificates, as far as they could be decoded.
    package var dac: AttestationCertificate?
    package var pai: AttestationCertificate?
    package var dacIdentifiers: VendorAndProduct?
    package var paiIdentifiers: VendorAndProduct?
    /// The ids of Basic Information.
    package var reported: VendorAndProduct = VendorAndProduct()

    /// The authority (PAA) that was looked for: the key identifier and name that the PAI gives as its issuer.
    package var soughtKeyIdentifier: [UInt8]?
    package var soughtName: AttestationName?
    /// The authority that was found in the trust store.
    package var authority: TrustAnchor?

    /// The declaration, as far as it could be decoded: believe its content only if ``isDeclarationAuthentic``.
    package var declaration: CertificationDeclaration?
    package var declarationElements: CertificationElements?
    package var declarationSigner: DeclarationSigner?
    package var isDeclarationAuthentic = false

    /// What is known of revocation; `nil` if it was not looked for.
    package var revocation: RevocationJudgement?

    /// Where trusted keys came from, a line for each source.
    package var sources: [String] = []
    /// The files of trusted folders that did not serve.
    package var unusableTrust: [UnusableTrustFile] = []
    /// Remarks that are no faults.
    package var notes: [String] = []
    /// The user's next step after the failure.
    package var hint: Hint?

    /// The report of a commissioner that was told not to look.
    package static let skipped = AttestationReport(verdict: .skipped)

    /// The public key that signs this device's answers, once the certificates were decoded.
    package var attestationKey: P256PublicKey? { dac?.publicKey }

    /// The failure in a sentence with code and step; `nil` without one.
    package var failure: String? {
        guard let result, result != .success else { return nil }
        let check = checks.first { $0.step == failedStep }
        return "\(result) (\(result.rawValue), step \(failedStep?.rawValue ?? "none"))"
            + (check.map { ": \($0.detail)" } ?? "")
    }
}
