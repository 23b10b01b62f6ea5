extension AttestationExamination {
    /// How many products of a declaration a report names.
    static let shownProducts = 5

    /// Decodes the declaration and looks for the key that it says signed it.
    mutating func findDeclarationSigner() throws(Finding) -> Comparison {
        guard let cms = evidence.declaration ?? elements?.certificationDeclaration else {
            throw .notJudged("there are no elements")
        }
        let declaration: CertificationDeclaration
        do { declaration = try CertificationDeclaration(cms: cms) } catch {
            throw .failed(
                .declarationNoKeyID, error.description, Comparison("a declaration in CMS form", "\(cms.count) bytes"))
        }
        report.declaration = declaration
        let keyIdentifier = AttestationReport.hex(declaration.signerKeyIdentifier)
        let sought = "a trusted signer with key id \(keyIdentifier)"
        let candidates = trust.declarationSigners(keyIdentifier: declaration.signerKeyIdentifier)
        guard let signer = candidates.first(where: { declaration.isSigned(by: $0.publicKey) }) ?? candidates.first
        else {
            let isDistrusted = trust.isDistrusted(declaration.signerKeyIdentifier)
            throw .failed(
                .declarationNoCertificateFound,
                isDistrusted
                    ? "you trust the signer with key id \(keyIdentifier) no longer"
                    : "no signer with key id \(keyIdentifier) is trusted",
                Comparison(sought, isDistrusted ? "one that is distrusted" : "none"))
        }
        report.declarationSigner = signer
        return Comparison(
            sought, "\(signer.subject)", origin: signer.origin,
            warning: signer.isDevelopment ? "this is a key for development: anyone may sign with it" : nil)
    }

    mutating func checkDeclarationSignature() throws(Finding) -> Comparison {
        guard let declaration = report.declaration, let signer = report.declarationSigner else {
            throw .notJudged("there is no declaration by a known signer")
        }
        let rule = "signed by \(signer.subject)"
        guard declaration.isSigned(by: signer.publicKey) else {
            throw .failed(
                .declarationInvalidSignature, "\(signer.subject) did not sign the declaration",
                Comparison(rule, "another signer, or changed since"))
        }
        report.isDeclarationAuthentic = true
        return Comparison(rule, "signed by \(signer.subject)", origin: signer.origin)
    }

    mutating func checkDeclarationContent() throws(Finding) -> Comparison {
        guard let declaration = report.declaration else { throw .notJudged("there is no declaration") }
        let rule = "all members of a declaration"
        let elements: CertificationElements
        do { elements = try CertificationElements(decoding: declaration.content) } catch {
            throw .failed(
                .declarationInvalidFormat, error.description, Comparison(rule, "\(declaration.content.count) bytes"))
        }
        report.declarationElements = elements
        let values = Comparison(rule, "certificate id \(elements.certificateID.debugDescription)")
        // A product that has been certified has a declaration by the Alliance.
        if report.declarationSigner?.isDevelopment == true,
            elements.certificationType > CertificationType.provisional.rawValue
        {
            throw .failed(
                .declarationNoCertificateFound,
                "the development key may not sign for certification type \(elements.certificationType)",
                Comparison("certification type 0 or 1", "\(elements.certificationType)"))
        }
        return values
    }

    func checkDeclarationRules() throws(Finding) -> Comparison {
        guard let elements = report.declarationElements else { throw .notJudged("there is no declaration") }
        let type = CertificationType(rawValue: elements.certificationType)
        let values = Comparison(
            "format \(CertificationElements.knownFormatVersion), certification type 0 to 2",
            "format \(elements.formatVersion), type \(elements.certificationType)"
                + (type.map { " (\($0))" } ?? ""))
        guard elements.formatVersion == CertificationElements.knownFormatVersion else {
            throw .failed(
                .attestationElementsMalformed, "the declaration has format \(elements.formatVersion)", values)
        }
        guard let type else {
            throw .failed(
                .attestationElementsMalformed, "certification type \(elements.certificationType) is reserved", values)
        }
        let isExpected = report.declarationSigner?.isDevelopment ?? true || type == .official
        return Comparison(
            values.expected, values.found, warning: isExpected ? nil : "the certification of this product is \(type)")
    }

    func checkBasicInformation() throws(Finding) -> Comparison {
        guard let elements = report.declarationElements else { throw .notJudged("there is no declaration") }
        guard let vendorID = evidence.vendorID, let productID = evidence.productID else {
            throw .notJudged("there is no Basic Information")
        }
        let values = Comparison(
            "VID \(elements.vendorID), PID \(Self.text(elements.productIDs)) (declaration)",
            "\(evidence.reported?.description ?? "") (Basic Information)")
        guard elements.vendorID == vendorID else {
            throw .failed(
                .declarationInvalidVendorID, "the declaration is for another vendor than the device reports", values)
        }
        guard elements.productIDs.contains(productID) else {
            throw .failed(
                .declarationInvalidProductID, "the declaration is for other products than the device reports", values)
        }
        return values
    }

    /// Compares the declaration with vendor and product of the certificates, which it may name itself.
    func checkDeclarationCertificates() throws(Finding) -> Comparison {
        guard let elements = report.declarationElements else { throw .notJudged("there is no declaration") }
        guard let dac = report.dacIdentifiers, let pai = report.paiIdentifiers else {
            throw .notJudged("vendor and product of a certificate are missing")
        }
        let vendorID = elements.origin?.vendorID ?? elements.vendorID
        let productIDs = elements.origin.map { [$0.productID] } ?? elements.productIDs
        let values = Comparison(
            "VID \(vendorID), PID \(Self.text(productIDs)) (declaration)", "\(dac) (DAC); \(pai) (PAI)")
        for (names, kind) in [(dac, AttestationCertificateKind.dac), (pai, .pai)]
        where names.vendorID != vendorID {
            throw .failed(
                .declarationInvalidVendorID, "the declaration does not allow the vendor of the \(kind)", values)
        }
        guard let productID = dac.productID, productIDs.contains(productID) else {
            throw .failed(
                .declarationInvalidProductID, "the declaration does not allow the product of the DAC", values)
        }
        if let productID = pai.productID, !productIDs.contains(productID) {
            throw .failed(
                .declarationInvalidProductID, "the declaration does not allow the product of the PAI", values)
        }
        return values
    }

    func checkDeclarationAuthority() throws(Finding) -> Comparison {
        guard let elements = report.declarationElements else { throw .notJudged("there is no declaration") }
        guard let allowed = elements.authorizedAuthorities else {
            return Comparison("any authority", report.authority.map { "\($0.subject)" })
        }
        guard let anchor = report.authority else { throw .notJudged("the authority is not known") }
        let values = Comparison(
            "an authority with key id \(allowed.map(AttestationReport.hex).joined(separator: " or "))",
            AttestationReport.hex(anchor.keyIdentifier))
        guard allowed.contains(anchor.keyIdentifier) else {
            throw .failed(
                .declarationInvalidPAA, "the declaration does not allow the authority \(anchor.subject)", values)
        }
        return values
    }

    static func text(_ productIDs: [UInt16]) -> String {
        let more = productIDs.count - shownProducts
        return productIDs.prefix(shownProducts).map { HexDigits.text($0) }.joined(separator: " ")
            + (more > 0 ? " and \(more) more" : "")
    }
}
