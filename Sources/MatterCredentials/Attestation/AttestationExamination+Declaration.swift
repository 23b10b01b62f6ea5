extension AttestationExamination {
    /// Decodes the declaration and looks for the key that it says signed it.
    mutating func findDeclarationSigner() throws(Finding) -> String {
        guard let elements else { throw .skipped("there are no elements") }
        let declaration: CertificationDeclaration
        do { declaration = try CertificationDeclaration(cms: elements.certificationDeclaration) } catch {
            throw .failed(.declarationNoKeyID, error.description)
        }
        report.declaration = declaration
        let candidates = trust.declarationSigners(keyIdentifier: declaration.signerKeyIdentifier)
        guard let signer = candidates.first(where: { declaration.isSigned(by: $0.publicKey) }) ?? candidates.first
        else {
            throw .failed(
                .declarationNoCertificateFound,
                "no signer with key id \(AttestationReport.hex(declaration.signerKeyIdentifier)) is trusted")
        }
        report.declarationSigner = signer
        return "\(signer.subject) (\(signer.origin))"
    }

    mutating func checkDeclarationSignature() throws(Finding) -> String {
        guard let declaration = report.declaration, let signer = report.declarationSigner else {
            throw .skipped("there is no declaration by a known signer")
        }
        guard declaration.isSigned(by: signer.publicKey) else {
            throw .failed(.declarationInvalidSignature, "\(signer.subject) did not sign the declaration")
        }
        report.isDeclarationAuthentic = true
        return ""
    }

    mutating func checkDeclarationContent() throws(Finding) -> String {
        guard let declaration = report.declaration else { throw .skipped("there is no declaration") }
        let elements: CertificationElements
        do { elements = try CertificationElements(decoding: declaration.content) } catch {
            throw .failed(.declarationInvalidFormat, error.description)
        }
        report.declarationElements = elements
        // A product that has been certified has a declaration by the Alliance.
        if report.declarationSigner?.isDevelopment == true,
            elements.certificationType > CertificationType.provisional.rawValue
        {
            throw .failed(
                .declarationNoCertificateFound,
                "the development key may not sign for certification type \(elements.certificationType)")
        }
        return "certificate id \(elements.certificateID.debugDescription)"
    }

    /// Compares the declaration with Basic Information, with the certificates, and with the authority.
    func checkDeclarationRules() throws(Finding) -> String {
        guard let elements = report.declarationElements else { throw .skipped("there is no declaration") }
        guard elements.formatVersion == CertificationElements.knownFormatVersion else {
            throw .failed(.attestationElementsMalformed, "the declaration has format \(elements.formatVersion)")
        }
        guard CertificationType(rawValue: elements.certificationType) != nil else {
            throw .failed(
                .attestationElementsMalformed, "certification type \(elements.certificationType) is reserved")
        }
        guard elements.vendorID == evidence.vendorID else {
            throw Self.vendor("it declares \(elements.vendorID), the device reports \(evidence.vendorID)")
        }
        guard elements.productIDs.contains(evidence.productID) else {
            throw Self.product("it does not declare \(HexDigits.text(evidence.productID)), which the device reports")
        }
        if let dac = report.dacIdentifiers, let pai = report.paiIdentifiers {
            try checkCertificates(dac, pai, against: elements)
        }
        if let allowed = elements.authorizedAuthorities, let anchor = report.authority {
            guard allowed.contains(anchor.keyIdentifier) else {
                throw .failed(
                    .declarationInvalidPAA,
                    "\(AttestationReport.hex(anchor.keyIdentifier)) is not among the \(allowed.count) that it allows")
            }
        }
        return ""
    }

    private func checkCertificates(
        _ dac: VendorAndProduct, _ pai: VendorAndProduct, against elements: CertificationElements
    ) throws(Finding) {
        let vendorID = elements.origin?.vendorID ?? elements.vendorID
        let productIDs = elements.origin.map { [$0.productID] } ?? elements.productIDs
        for (names, kind) in [(dac, AttestationCertificateKind.dac), (pai, .pai)] {
            guard names.vendorID == vendorID else {
                throw Self.vendor("it wants \(vendorID) in the \(kind), which has \(names)")
            }
        }
        guard let productID = dac.productID, productIDs.contains(productID) else {
            throw Self.product("it does not allow the product of the DAC (\(dac))")
        }
        if let productID = pai.productID, !productIDs.contains(productID) {
            throw Self.product("it does not allow the product of the PAI (\(pai))")
        }
    }

    private static func vendor(_ fault: String) -> Finding { .failed(.declarationInvalidVendorID, fault) }

    private static func product(_ fault: String) -> Finding { .failed(.declarationInvalidProductID, fault) }
}
