import MatterBase

/// One verification under way: each step reads what the steps before it found.
struct AttestationExamination {
    /// The rule of a check beside the values of the device.
    struct Comparison {
        var expected: String?
        var found: String?
        /// Where the trusted key came from.
        var origin: TrustOrigin?
        /// A note for people although the check passed.
        var warning: String?

        init(_ expected: String? = nil, _ found: String? = nil, origin: TrustOrigin? = nil, warning: String? = nil) {
            self.expected = expected
            self.found = found
            self.origin = origin
            self.warning = warning
        }
    }

    /// How a step ends other than well.
    enum Finding: Error {
        case failed(AttestationResult, String, Comparison = Comparison())
        case notJudged(String, Comparison = Comparison())
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
        report.reported = evidence.reported
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
        switch report.result {
        case .authorityDistrusted: report.verdict = .distrusted
        case .authorityWithdrawn, .paaRevoked: report.verdict = .withdrawn
        case nil where evidence.source == .certificates && evidence.declaration == nil: report.verdict = .incomplete
        case nil:
            let isDevelopment =
                report.authority?.isDevelopment ?? true || report.declarationSigner?.isDevelopment ?? true
            report.result = .success
            report.verdict = isDevelopment ? .test : .trusted
        default: break
        }
        addNotes()
        report.hint = hint
        return report
    }

    private mutating func check(_ step: AttestationStep) -> AttestationCheck {
        func check(_ outcome: AttestationCheck.Outcome, _ detail: String, _ values: Comparison) -> AttestationCheck {
            AttestationCheck(
                step, outcome, expected: values.expected, found: values.found, detail: detail, origin: values.origin)
        }
        do {
            let values = try take(step)
            return check(values.warning == nil ? .passed : .warned, values.warning ?? "", values)
        } catch {
            switch error {
            case .failed(let result, let detail, let values): return check(.failed(result), detail, values)
            case .notJudged(let reason, let values): return check(.notJudged, reason, values)
            }
        }
    }

    private mutating func take(_ step: AttestationStep) throws(Finding) -> Comparison {
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
        case .basicInformation: try checkBasicInformation()
        case .declarationCertificates: try checkDeclarationCertificates()
        case .declarationAuthority: try checkDeclarationAuthority()
        case .revocation: try checkRevocation()
        case .firmware: try checkFirmware()
        case .setupCode: try compare(evidence.setupCode, "setup code")
        case .advertisement: try compare(evidence.advertised, "mDNS record")
        }
    }

    // MARK: What the device sent

    private func checkInputs() throws(Finding) -> Comparison {
        let response = evidence.response
        let values = Comparison(
            "DAC, PAI, elements of at most \(AttestationElements.maximumCount) bytes, signature",
            "DAC \(evidence.dac.count), PAI \(evidence.pai.count), elements \(response.elements.count), "
                + "signature \(response.signature.count) bytes")
        let isComplete = !evidence.hasAnswer || !response.elements.isEmpty && !response.signature.isEmpty
        guard !evidence.dac.isEmpty, isComplete else {
            throw .failed(.invalidArgument, "the device sent no certificate, no elements or no signature", values)
        }
        guard response.elements.count <= AttestationElements.maximumCount else {
            throw .failed(.invalidArgument, "the elements are too long", values)
        }
        guard
            !evidence.hasAnswer
                || evidence.nonce.count == AttestationElements.nonceCount
                    && evidence.attestationChallenge.count == AttestationResponse.challengeCount
        else { throw .failed(.invalidArgument, "the nonce or the attestation challenge has a wrong length", values) }
        guard !evidence.pai.isEmpty else { throw .failed(.paiMissing, "the device sent no PAI", values) }
        return values
    }

    private mutating func checkPAI() throws(Finding) -> Comparison {
        guard !evidence.pai.isEmpty else { throw .notJudged("there is no PAI") }
        let profile = "a certificate of an authority for products: version 3, P-256, CA with path length 0"
        do {
            let certificate = try AttestationCertificate(der: evidence.pai)
            report.pai = certificate
            report.soughtKeyIdentifier = certificate.authorityKeyIdentifier
            report.soughtName = certificate.issuer
            try certificate.checkProfile(as: .pai)
        } catch {
            throw .failed(.paiFormatInvalid, error.description, Comparison(profile, found(report.pai, evidence.pai)))
        }
        return Comparison(profile, found(report.pai, evidence.pai))
    }

    private mutating func checkDAC() throws(Finding) -> Comparison {
        guard !evidence.dac.isEmpty else { throw .notJudged("there is no DAC") }
        let profile = "a certificate of a device: version 3, P-256, no CA, for signatures"
        do {
            let certificate = try AttestationCertificate(der: evidence.dac)
            report.dac = certificate
            try certificate.checkProfile(as: .dac)
        } catch {
            throw .failed(.dacFormatInvalid, error.description, Comparison(profile, found(report.dac, evidence.dac)))
        }
        return Comparison(profile, found(report.dac, evidence.dac))
    }

    private func found(_ certificate: AttestationCertificate?, _ der: [UInt8]) -> String {
        certificate.map { "\($0.subject), \(der.count) bytes" } ?? "\(der.count) bytes that cannot be decoded"
    }

    private mutating func checkIdentifiers() throws(Finding) -> Comparison {
        guard let dac = report.dac, let pai = report.pai else { throw .notJudged("a certificate is missing") }
        let digits = "vendor and product as four upper-case hexadecimal digits each"
        let device: VendorAndProduct
        let intermediate: VendorAndProduct
        do { device = try VendorAndProduct(subject: dac.subject) } catch {
            throw .failed(.dacFormatInvalid, error.description, Comparison(digits, "\(dac.subject)"))
        }
        report.dacIdentifiers = device
        do { intermediate = try VendorAndProduct(subject: pai.subject) } catch {
            throw .failed(.paiFormatInvalid, error.description, Comparison(digits, "\(pai.subject)"))
        }
        report.paiIdentifiers = intermediate
        let any = intermediate.productID == nil ? ", any PID" : ""
        let values = Comparison("\(intermediate)\(any) (PAI)", "\(device) (DAC)")
        guard intermediate.vendorID != nil, intermediate.vendorID == device.vendorID else {
            throw .failed(.dacVendorIDMismatch, "the vendors of DAC and PAI differ", values)
        }
        guard device.productID != nil, intermediate.productID == nil || intermediate.productID == device.productID
        else {
            throw .failed(.dacProductIDMismatch, "the products of DAC and PAI differ", values)
        }
        return values
    }

    private static let noAnswer = "there is no answer of a device"
    private static let isRecorded = "the question comes from the same folder as the answer, so any recording fits"

    private func checkAttestationSignature() throws(Finding) -> Comparison {
        guard evidence.hasAnswer else { throw .notJudged(Self.noAnswer) }
        let count = evidence.response.signature.count
        let rule = "\(AttestationResponse.signatureCount) bytes, by the key of the DAC, for this session"
        guard count == AttestationResponse.signatureCount else {
            throw .failed(
                .signatureInvalidFormat, "the signature has a wrong length", Comparison(rule, "\(count) bytes"))
        }
        guard let dac = report.dac else { throw .notJudged("there is no DAC") }
        guard
            evidence.response.isSigned(by: dac.publicKey, attestationChallenge: evidence.attestationChallenge)
        else {
            throw .failed(
                .attestationSignatureInvalid, "the key of the DAC did not sign this answer in this session",
                Comparison(rule, "another key, or another session"))
        }
        let values = Comparison(rule, "\(count) bytes, by the key of the DAC")
        guard evidence.source != .recording else { throw .notJudged(Self.isRecorded, values) }
        return values
    }

    private mutating func checkElements() throws(Finding) -> Comparison {
        guard evidence.hasAnswer else { throw .notJudged(Self.noAnswer) }
        let encoded = evidence.response.elements
        let rule = "declaration, nonce and timestamp"
        do { elements = try AttestationElements(decoding: encoded) } catch {
            throw .failed(
                .attestationElementsMalformed, error.description, Comparison(rule, "\(encoded.count) bytes"))
        }
        return Comparison(
            rule, "declaration of \(elements?.certificationDeclaration.count ?? 0) bytes, nonce, timestamp")
    }

    private func checkNonce() throws(Finding) -> Comparison {
        guard let elements else { throw .notJudged("there are no elements") }
        let values = Comparison(AttestationReport.hex(evidence.nonce), AttestationReport.hex(elements.nonce))
        guard constantTimeEqual(elements.nonce, evidence.nonce) else {
            throw .failed(.nonceMismatch, "the device answered with another nonce than it was sent", values)
        }
        guard evidence.source != .recording else { throw .notJudged(Self.isRecorded, values) }
        return values
    }

    // MARK: What else is known

    private mutating func checkRevocation() throws(Finding) -> Comparison {
        guard let revocation else { throw .notJudged("revocation is not looked for") }
        guard let dac = report.dac, let pai = report.pai else { throw .notJudged("a certificate is missing") }
        let now: Int64? = if case .now(let seconds) = time { MatterEpoch.unix(seconds) } else { nil }
        let judgement = revocation.judge(dac: dac, pai: pai, now: now)
        report.revocation = judgement
        let values = Comparison("neither DAC nor PAI revoked", judgement.description)
        if let result = judgement.failure(isStrict: revocation.isStrict) {
            throw .failed(result, "\(result)", values)
        }
        guard judgement.verdict == .good else {
            throw .notJudged("revocation is not known: \(judgement.reason ?? "")", values)
        }
        return values
    }

    /// Which firmware is right depends on the software version, which the ledger lists and no commissioner compares.
    private func checkFirmware() throws(Finding) -> Comparison {
        throw .notJudged(
            "firmware information is not compared",
            Comparison(nil, elements?.firmwareInformation.map { "\($0.count) bytes" } ?? "none"))
    }

    /// Compares what anyone can print or send with what is signed. The specification leaves the consequence to the user.
    private func compare(_ told: VendorAndProduct?, _ name: String) throws(Finding) -> Comparison {
        guard let told, told.vendorID != nil || told.productID != nil else {
            throw .notJudged("there is no \(name) that names vendor or product")
        }
        guard let reported = report.reported else { throw .notJudged("there is no Basic Information") }
        let values = Comparison("\(reported) (Basic Information)", "\(told) (\(name))")
        func differ<ID: Equatable>(_ told: ID?, _ known: ID?) -> Bool { told != nil && known != nil && told != known }
        guard !differ(told.vendorID, reported.vendorID), !differ(told.productID, reported.productID) else {
            return Comparison(values.expected, values.found, warning: "the \(name) is for another product")
        }
        if report.isDeclarationAuthentic, let elements = report.declarationElements,
            differ(told.vendorID, elements.vendorID) || told.productID.map(elements.productIDs.contains) == false
        {
            return Comparison(
                "VID \(elements.vendorID) (declaration)", values.found,
                warning: "the declaration does not allow the product of the \(name)")
        }
        return values
    }
}
