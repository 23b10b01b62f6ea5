import MatterErrors

extension AttestationExamination {
    /// Looks for the authority (PAA) that the PAI names, and checks what it says of itself.
    mutating func findAuthority() throws(Finding) -> String {
        guard let pai = report.pai, let keyIdentifier = pai.authorityKeyIdentifier else {
            throw .skipped("there is no PAI that names its authority")
        }
        let candidates = trust.authorities(keyIdentifier: keyIdentifier)
        guard let anchor = candidates.first(where: { $0.subject == pai.issuer }) ?? candidates.first else {
            if let since = trust.revocationDate(keyIdentifier: keyIdentifier, subject: pai.issuer) {
                throw .failed(.paaRevoked, "the ledger lists it as revoked since \(X509Time.text(since)) or before")
            }
            throw .failed(
                .paaNotFound,
                "no authority with key id \(AttestationReport.hex(keyIdentifier)), named \(pai.issuer), is trusted")
        }
        report.authority = anchor
        let names: VendorAndProduct
        do { names = try VendorAndProduct(subject: anchor.subject) } catch {
            throw .failed(.paaFormatInvalid, error.description)
        }
        if let vendorID = names.vendorID, vendorID != report.paiIdentifiers?.vendorID {
            throw .failed(
                .paiVendorIDMismatch,
                "the authority is for vendor \(vendorID), the PAI has \(report.paiIdentifiers?.description ?? "no VID")"
            )
        }
        guard names.productID == nil else {
            throw .failed(.paaFormatInvalid, "an authority must not name a product")
        }
        do { try anchor.certificate?.checkProfile(as: .paa) } catch {
            throw .failed(.paaFormatInvalid, error.description)
        }
        return "\(anchor.subject) (\(anchor.origin))"
    }

    func checkDACValidity() throws(Finding) -> String {
        guard let dac = report.dac else { throw .skipped("there is no DAC") }
        guard case .now(let seconds) = time else { throw .skipped("the time is not known") }
        let now = MatterEpoch.unix(seconds)
        let both = "valid \(dac.validity), now \(X509Time.text(now))"
        guard dac.validity.contains(now) else { throw .failed(.dacExpired, both) }
        return both
    }

    /// Checks names, key identifiers, signatures and critical extensions from the DAC up to the authority. The
    /// certificates above the DAC must have been valid when it began to be.
    func checkChain() throws(Finding) -> String {
        guard let dac = report.dac, let pai = report.pai else { throw .skipped("a certificate is missing") }
        guard let anchor = report.authority else { throw .skipped("the authority is not known") }
        do {
            try dac.checkCriticalExtensions()
            try pai.checkCriticalExtensions()
            try anchor.certificate?.checkCriticalExtensions()
        } catch { throw Self.broken(error.description) }
        guard dac.issuer == pai.subject else {
            throw Self.broken("the DAC was issued by \(dac.issuer), not by the PAI \(pai.subject)")
        }
        guard let keyIdentifier = pai.subjectKeyIdentifier, dac.authorityKeyIdentifier == keyIdentifier else {
            throw Self.broken("the DAC names another key than the PAI's as its issuer's")
        }
        guard pai.issuer == anchor.subject else {
            throw Self.broken("the PAI was issued by \(pai.issuer), not by the PAA \(anchor.subject)")
        }
        guard pai.authorityKeyIdentifier == anchor.keyIdentifier else {
            throw Self.broken("the PAI names another key than the PAA's as its issuer's")
        }
        let issued = dac.validity.notBefore
        guard pai.validity.contains(issued) else {
            throw Self.broken(
                "the PAI (valid \(pai.validity)) was not valid when the DAC began to be, \(X509Time.text(issued))")
        }
        if let validity = anchor.validity, !validity.contains(issued) {
            throw Self.broken(
                "the PAA (valid \(validity)) was not valid when the DAC began to be, \(X509Time.text(issued))")
        }
        guard pai.isSigned(by: anchor.publicKey) else { throw Self.broken("the PAA did not sign the PAI") }
        guard dac.isSigned(by: pai.publicKey) else { throw Self.broken("the PAI did not sign the DAC") }
        return "DAC, PAI, PAA"
    }

    private static func broken(_ fault: String) -> Finding { .failed(.dacSignatureInvalid, fault) }
}
