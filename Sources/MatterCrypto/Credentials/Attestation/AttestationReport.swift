package import MatterBase

/// The verdict on a device's attestation (Matter core specification, 6.2.3).
public enum AttestationVerdict: String, Sendable, CaseIterable {
    /// The device is what it says, by authorities that the user or the ledger trusts.
    case trusted
    /// Valid by a development authority or declaration key, with which anyone can sign.
    case test
    /// The device could not prove what it is.
    case untrusted
    /// The user trusts its authority no longer.
    case distrusted
    /// The ledger had its authority, and has taken it back.
    case withdrawn
    /// Nothing is wrong with what there was to judge, but some of what a verdict needs was missing.
    case incomplete
    /// Nothing was checked.
    case skipped

    /// Whether a device with this verdict is refused.
    public var isRefusal: Bool {
        switch self {
        case .untrusted, .distrusted, .withdrawn, .incomplete: true
        case .trusted, .test, .skipped: false
        }
    }
}

/// Everything that verifying a device's attestation brought to light (Matter core specification, 6.2.3).
///
/// All steps are taken as far as they can be, so that a person sees more than the first fault; the first one in the order
/// of ``AttestationStep`` is the result.
public struct AttestationReport: Sendable, Hashable {
    /// The outcome of the checks.
    public var verdict: AttestationVerdict
    /// The first failure, or success; `nil` where nothing was checked.
    public var result: AttestationResult?
    package var failedStep: AttestationStep?
    /// The checks, in their order.
    public var checks: [AttestationCheck] = []

    /// The device's certificates, as far as they could be decoded.
    package var dac: AttestationCertificate?
    package var pai: AttestationCertificate?
    package var dacIdentifiers: VendorAndProduct?
    var paiIdentifiers: VendorAndProduct?
    /// The ids of Basic Information; `nil` if they are not known.
    package var reported: VendorAndProduct?

    /// The authority (PAA) that was looked for: the key identifier and name that the PAI gives as its issuer.
    package var soughtKeyIdentifier: [UInt8]?
    package var soughtName: AttestationName?
    /// The authority that was found in the trust store.
    public var authority: TrustAnchor?

    /// The declaration, as far as it could be decoded: believe its content only if ``isDeclarationAuthentic``.
    package var declaration: CertificationDeclaration?
    package var declarationElements: CertificationElements?
    package var declarationSigner: DeclarationSigner?
    package var isDeclarationAuthentic = false

    /// The facts about revocation; `nil` if it was not looked for.
    public var revocation: RevocationJudgement?
    /// That the ledger took the authority back; `nil` if it did not.
    package var authorityWithdrawal: AuthorityWithdrawal?

    /// Where trusted keys came from, a line for each source.
    package var sources: [String] = []
    /// The files of trusted folders that did not serve.
    var unusableTrust: [UnusableTrustFile] = []
    /// Remarks that are no faults.
    public var notes: [String] = []
    /// The user's next step after the failure.
    package var hint: Hint?

    init(verdict: AttestationVerdict) { self.verdict = verdict }

    /// The report of a commissioner that was told not to look.
    package static let skipped = AttestationReport(verdict: .skipped)

    /// The public key that signs this device's answers, once the certificates were decoded.
    package var attestationKey: P256PublicKey? { dac?.publicKey }

    /// The first check that failed.
    public var failedCheck: AttestationCheck? { checks.first { $0.step == failedStep } }

    /// True if nothing is wrong but that the authority is not known: a person may know better.
    package var lacksOnlyAuthority: Bool {
        result == .paaNotFound && !checks.contains { $0.isFailure && $0.step != .authority }
    }

    /// The checks for which something was missing that a verdict needs.
    package var unjudged: [AttestationStep] {
        checks.filter { $0.outcome == .notJudged && $0.step.isNeeded }.map(\.step)
    }

    /// The failure in a sentence with code and step; `nil` without one.
    package var failure: String? {
        guard let result, result != .success else { return nil }
        return "\(result) (\(result.rawValue), step \(failedStep?.rawValue ?? "none"))"
            + (failedCheck.map { ": \($0.detail)" } ?? "")
    }
}
