import MatterBase

extension AttestationExamination {
    /// Looks for the authority (PAA) that the PAI names, and checks what it says of itself.
    mutating func findAuthority() throws(Finding) -> Comparison {
        guard let pai = report.pai, let keyIdentifier = pai.authorityKeyIdentifier else {
            throw .notJudged("there is no PAI that names its authority")
        }
        let sought = "a trusted authority named \(pai.issuer) with key id \(AttestationReport.hex(keyIdentifier))"
        let candidates = trust.authorities(keyIdentifier: keyIdentifier)
        guard let anchor = candidates.first(where: { $0.subject == pai.issuer }) ?? candidates.first else {
            throw missing(keyIdentifier, pai.issuer, sought)
        }
        report.authority = anchor
        var values = Comparison(sought, "\(anchor.subject)", origin: anchor.origin)
        let names: VendorAndProduct
        do { names = try VendorAndProduct(subject: anchor.subject) } catch {
            throw .failed(.paaFormatInvalid, error.description, values)
        }
        if let vendorID = names.vendorID, vendorID != report.paiIdentifiers?.vendorID {
            values.expected = "an authority for \(report.paiIdentifiers?.description ?? "no VID")"
            throw .failed(.paiVendorIDMismatch, "the authority is for vendor \(vendorID), the PAI is not", values)
        }
        guard names.productID == nil else {
            throw .failed(.paaFormatInvalid, "an authority must not name a product", values)
        }
        do { try anchor.certificate?.checkProfile(as: .paa) } catch {
            throw .failed(.paaFormatInvalid, error.description, values)
        }
        if anchor.isDevelopment { values.warning = "this is an authority for development: anyone may use it" }
        return values
    }

    private mutating func missing(
        _ keyIdentifier: [UInt8], _ subject: AttestationName, _ sought: String
    ) -> Finding {
        switch trust.missing(keyIdentifier: keyIdentifier, subject: subject) {
        case .unknown:
            return .failed(
                .paaNotFound,
                "no authority with key id \(AttestationReport.hex(keyIdentifier)), named \(subject), is trusted",
                Comparison(sought, "none"))
        case .distrusted:
            return .failed(
                .authorityDistrusted, "you have removed it from the trusted authorities",
                Comparison(sought, "one that is distrusted"))
        case .withdrawn(let withdrawal):
            report.authorityWithdrawal = withdrawal
            let since = "since \(X509Time.text(withdrawal.date)) or before"
            return withdrawal.isRevoked
                ? .failed(
                    .paaRevoked, "the ledger lists it as revoked \(since)", Comparison(sought, "revoked \(since)"))
                : .failed(
                    .authorityWithdrawn, "the ledger had it, and lists it no longer \(since)",
                    Comparison(sought, "withdrawn \(since)"))
        }
    }

    func checkDACValidity() throws(Finding) -> Comparison {
        guard let dac = report.dac else { throw .notJudged("there is no DAC") }
        guard case .now(let seconds) = time else { throw .notJudged("the time is not known") }
        let now = MatterEpoch.unix(seconds)
        let values = Comparison("valid at \(X509Time.text(now))", "valid \(dac.validity)")
        guard dac.validity.contains(now) else {
            let isEarly = now < dac.validity.notBefore
            throw .failed(.dacExpired, isEarly ? "the DAC is not valid yet" : "the DAC has expired", values)
        }
        return values
    }

    /// Checks names, key identifiers, signatures and critical extensions from the DAC up to the authority. The
    /// certificates above the DAC must have been valid when it began to be. Without the authority, the DAC is checked
    /// against the PAI all the same.
    func checkChain() throws(Finding) -> Comparison {
        guard let dac = report.dac, let pai = report.pai else { throw .notJudged("a certificate is missing") }
        let anchor = report.authority
        do {
            try dac.checkCriticalExtensions()
            try pai.checkCriticalExtensions()
            try anchor?.certificate?.checkCriticalExtensions()
        } catch { throw Self.broken(error.description, "no unknown critical extension", "one") }
        guard dac.issuer == pai.subject else {
            throw Self.broken("the PAI did not issue the DAC", "DAC issued by \(pai.subject)", "\(dac.issuer)")
        }
        guard let keyIdentifier = pai.subjectKeyIdentifier, dac.authorityKeyIdentifier == keyIdentifier else {
            throw Self.broken(
                "the DAC names another key than the PAI's", "issuer key \(Self.hex(pai.subjectKeyIdentifier))",
                Self.hex(dac.authorityKeyIdentifier))
        }
        let issued = dac.validity.notBefore
        guard pai.validity.contains(issued) else {
            throw Self.broken(
                "the PAI was not valid when the DAC began to be", "PAI valid at \(X509Time.text(issued))",
                "\(pai.validity)")
        }
        if let anchor { try checkAuthority(anchor, of: pai, at: issued) }
        guard dac.isSigned(by: pai.publicKey) else {
            throw Self.broken("the PAI did not sign the DAC", "DAC signed by \(pai.subject)", "another signer")
        }
        guard let anchor else { throw .notJudged("the authority is not known") }
        return Comparison(
            "each certificate signed by the next, up to \(anchor.subject)",
            "\(dac.subject); \(pai.subject); \(anchor.subject)", origin: anchor.origin)
    }

    /// - Parameter issued: when the DAC began to be valid.
    private func checkAuthority(
        _ anchor: TrustAnchor, of pai: AttestationCertificate, at issued: Int64
    ) throws(Finding) {
        guard pai.issuer == anchor.subject else {
            throw Self.broken("the PAA did not issue the PAI", "PAI issued by \(anchor.subject)", "\(pai.issuer)")
        }
        guard pai.authorityKeyIdentifier == anchor.keyIdentifier else {
            throw Self.broken(
                "the PAI names another key than the PAA's", "issuer key \(Self.hex(anchor.keyIdentifier))",
                Self.hex(pai.authorityKeyIdentifier))
        }
        if let validity = anchor.validity, !validity.contains(issued) {
            throw Self.broken(
                "the PAA was not valid when the DAC began to be", "PAA valid at \(X509Time.text(issued))",
                "\(validity)")
        }
        guard pai.isSigned(by: anchor.publicKey) else {
            throw Self.broken("the PAA did not sign the PAI", "PAI signed by \(anchor.subject)", "another signer")
        }
    }

    private static func hex(_ identifier: [UInt8]?) -> String { identifier.map(AttestationReport.hex) ?? "none" }

    private static func broken(_ fault: String, _ expected: String, _ found: String) -> Finding {
        .failed(.dacSignatureInvalid, fault, Comparison(expected, found))
    }
}
