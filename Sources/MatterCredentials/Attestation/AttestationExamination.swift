import MatterCrypto
import MatterErrors

/// One verification under way: each step reads what the steps before it found.
struct AttestationExamination {
    /// How a step ends other than well.
    enum Finding: Error {
        case failed(AttestationResult, String)
        case skipped(String)
    }

    let evidence: AttestationEvidence
    let trust: TrustStore
    let revocation: RevocationCheck?
    let time: ValidationTime
    var report = AttestationReport(verdict: .untrusted)
    /// The device's decoded answer.
    var elements: AttestationElements?

    init(
        evidence: AttestationEvidence, trust: TrustStore, revocation: RevocationCheck?, time: ValidationTime
    ) {
        self.evidence = evidence
        self.trust = trust
        self.revocation = revocation
        self.time = time
    }

    mutating func run() -> AttestationReport {
        report.reported = VendorAndProduct(vendorID: evidence.vendorID, productID: evidence.productID)
        report.sources = trust.sources
        report.unusableTrust = trust.unusable
        for step in AttestationStep.allCases {
            let check = check(step)
            report.checks.append(check)
            if case .failed(let result) = check.outcome, report.result == nil {
                report.result = result
                report.failedStep = step
            }
        }
        if report.result == nil {
            let isDevelopment =
                report.authority?.isDevelopment ?? true || report.declarationSigner?.isDevelopment ?? true
            report.result = .success
            report.verdict = isDevelopment ? .test : .trusted
        }
        addNotes()
        report.hint = hint
        return report
    }

    private mutating func check(_ step: AttestationStep) -> AttestationCheck {
        do { return AttestationCheck(step, .passed, try take(step)) } catch {
            switch error {
            case .failed(let result, let detail): return AttestationCheck(step, .failed(result), detail)
            case .skipped(let reason): return AttestationCheck(step, .skipped, reason)
            }
        }
    }

    private mutating func take(_ step: AttestationStep) throws(Finding) -> String {
        switch step {
        case .inputs: try checkInputs()
        case .paiFormat: try checkPAI()
        case .dacFormat: try checkDAC()
        case .identifiers: try checkIdentifiers()
        case .attestationSignature: try checkAttestationSignature()
        case .authority: try findAuthority()
        case .dacValidity: try checkDACValidity()
        case .chain: try checkChain()
        case .elements: try checkElements()
        case .nonce: try checkNonce()
        case .declarationSigner: try findDeclarationSigner()
        case .declarationSignature: try checkDeclarationSignature()
        case .declarationContent: try checkDeclarationContent()
        case .declarationRules: try checkDeclarationRules()
        case .revocation: try checkRevocation()
        }
    }

    private func checkInputs() throws(Finding) -> String {
        let response = evidence.response
        guard !evidence.dac.isEmpty, !response.elements.isEmpty, !response.signature.isEmpty else {
            throw .failed(.invalidArgument, "the device sent no certificate, no elements or no signature")
        }
        guard response.elements.count <= AttestationElements.maximumCount else {
            throw .failed(
                .invalidArgument,
                "the elements have \(response.elements.count) bytes, at most \(AttestationElements.maximumCount) allowed"
            )
        }
        guard evidence.nonce.count == AttestationElements.nonceCount,
            evidence.attestationChallenge.count == AttestationResponse.challengeCount
        else { throw .failed(.invalidArgument, "the nonce or the attestation challenge has a wrong length") }
        guard !evidence.pai.isEmpty else { throw .failed(.paiMissing, "the device sent no PAI") }
        return ""
    }

    private mutating func checkPAI() throws(Finding) -> String {
        guard !evidence.pai.isEmpty else { throw .skipped("there is no PAI") }
        do {
            let certificate = try AttestationCertificate(der: evidence.pai)
            report.pai = certificate
            report.soughtKeyIdentifier = certificate.authorityKeyIdentifier
            report.soughtName = certificate.issuer
            try certificate.checkProfile(as: .pai)
        } catch { throw .failed(.paiFormatInvalid, error.description) }
        return ""
    }

    private mutating func checkDAC() throws(Finding) -> String {
        guard !evidence.dac.isEmpty else { throw .skipped("there is no DAC") }
        do {
            let certificate = try AttestationCertificate(der: evidence.dac)
            report.dac = certificate
            try certificate.checkProfile(as: .dac)
        } catch { throw .failed(.dacFormatInvalid, error.description) }
        return ""
    }

    private mutating func checkIdentifiers() throws(Finding) -> String {
        guard let dac = report.dac, let pai = report.pai else { throw .skipped("a certificate is missing") }
        let device: VendorAndProduct
        let intermediate: VendorAndProduct
        do { device = try VendorAndProduct(subject: dac.subject) } catch {
            throw .failed(.dacFormatInvalid, error.description)
        }
        report.dacIdentifiers = device
        do { intermediate = try VendorAndProduct(subject: pai.subject) } catch {
            throw .failed(.paiFormatInvalid, error.description)
        }
        report.paiIdentifiers = intermediate
        let both = "DAC: \(device); PAI: \(intermediate)"
        guard intermediate.vendorID != nil, intermediate.vendorID == device.vendorID else {
            throw .failed(.dacVendorIDMismatch, both)
        }
        guard device.productID != nil, intermediate.productID == nil || intermediate.productID == device.productID
        else {
            throw .failed(.dacProductIDMismatch, both)
        }
        return both
    }

    private func checkAttestationSignature() throws(Finding) -> String {
        let count = evidence.response.signature.count
        guard count == AttestationResponse.signatureCount else {
            throw .failed(.signatureInvalidFormat, "the signature has \(count) bytes instead of 64")
        }
        guard let dac = report.dac else { throw .skipped("there is no DAC") }
        guard
            evidence.response.isSigned(by: dac.publicKey, attestationChallenge: evidence.attestationChallenge)
        else {
            throw .failed(
                .attestationSignatureInvalid, "the key of the DAC did not sign this answer in this session")
        }
        return ""
    }

    private mutating func checkElements() throws(Finding) -> String {
        do { elements = try AttestationElements(decoding: evidence.response.elements) } catch {
            throw .failed(.attestationElementsMalformed, error.description)
        }
        return ""
    }

    private func checkNonce() throws(Finding) -> String {
        guard let elements else { throw .skipped("there are no elements") }
        guard constantTimeEqual(elements.nonce, evidence.nonce) else {
            throw .failed(.nonceMismatch, "the device answered with another nonce than it was sent")
        }
        return ""
    }

    private mutating func checkRevocation() throws(Finding) -> String {
        guard let revocation else { throw .skipped("revocation is not looked for") }
        guard let dac = report.dac, let pai = report.pai else { throw .skipped("a certificate is missing") }
        let now: Int64? = if case .now(let seconds) = time { MatterEpoch.unix(seconds) } else { nil }
        let judgement = revocation.judge(dac: dac, pai: pai, now: now)
        report.revocation = judgement
        if let result = judgement.failure(isStrict: revocation.isStrict) {
            throw .failed(result, judgement.description)
        }
        guard judgement.verdict == .good else { throw .skipped(judgement.description) }
        return judgement.description
    }
}
