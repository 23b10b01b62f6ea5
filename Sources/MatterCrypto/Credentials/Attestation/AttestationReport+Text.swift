import JSON

extension AttestationReport {
    /// How many unusable files the text names.
    private static let shownFiles = 10

    /// The report for a person: the verdict, the facts, and every check, a line each.
    public var lines: [String] {
        let first = "attestation: \(verdictText)" + (failure.map { " - \($0)" } ?? "")
        let checks = checks.map { ("check", "\($0.step): " + $0.texts.joined(separator: "; ")) }
        let rest = verdict == .skipped ? [] : facts.dropFirst() + checks + notes.map { ("note", $0) }
        return [first]
            + rest.map { label, text in "  " + label + String(repeating: " ", count: max(1, 13 - label.count)) + text }
    }

    /// The verdict, what was looked for and found, and where the trusted keys came from.
    public var facts: [(label: String, text: String)] {
        var facts = [("verdict", verdictText)]
        func add(_ label: String, _ text: String?) { if let text { facts.append((label, text)) } }
        add("device", reported.map { "\($0) (Basic Information)" })
        add("DAC", dac.map { Self.text($0, dacIdentifiers) })
        add("PAI", pai.map { Self.text($0, paiIdentifiers) })
        add("looked for", soughtKeyIdentifier.map { "PAA with key id \(Self.hex($0))" + named(soughtName) })
        if soughtKeyIdentifier != nil {
            add(
                "found",
                authority.map { "\($0.subject), key id \(Self.hex($0.keyIdentifier)) (\($0.origin))" } ?? "none")
        }
        add("declaration", declarationText)
        for source in sources { add("source", source) }
        for file in unusableTrust.prefix(Self.shownFiles) { add("not used", "\(file)") }
        if unusableTrust.count > Self.shownFiles {
            add("not used", "\(unusableTrust.count - Self.shownFiles) more files")
        }
        return facts
    }

    private var verdictText: String {
        verdict.rawValue + (authorityWithdrawal.map { " since \(X509Time.text($0.date)) or before" } ?? "")
    }

    private func named(_ name: AttestationName?) -> String { name.map { ", named \($0)" } ?? "" }

    private var declarationText: String? {
        guard let declaration else { return nil }
        let signer =
            declarationSigner.map { "\($0.subject) (\($0.origin))" }
            ?? "unknown key \(Self.hex(declaration.signerKeyIdentifier))"
        guard let elements = declarationElements else { return "unreadable, signed by \(signer)" }
        let type =
            CertificationType(rawValue: elements.certificationType)?.description ?? "type \(elements.certificationType)"
        return "VID \(elements.vendorID), PID \(AttestationExamination.text(elements.productIDs))"
            + ", \(type), signed by \(signer)" + (isDeclarationAuthentic ? "" : ", not authentic")
    }

    private static func text(_ certificate: AttestationCertificate, _ identifiers: VendorAndProduct?) -> String {
        "\(certificate.subject)"
            + (certificate.subjectKeyIdentifier.map { ", key id \(hex($0))" } ?? "")
            + ", serial \(hex(certificate.serialNumber)), valid \(certificate.validity)"
            + (identifiers.map { " (\($0))" } ?? "")
    }

    static func hex(_ octets: [UInt8]) -> String { Hex.encode(octets, uppercase: true) }
}

extension AttestationCheck {
    /// The outcome with its reason, the rule, the values of the device and the trusted key, as far as there are any.
    public var texts: [String] {
        let number = result.map { " (\($0.rawValue), \($0))" } ?? ""
        var texts = [outcomeName + number + (detail.isEmpty ? "" : ": \(detail)")]
        if outcome != .notJudged, let expected { texts.append("expected \(expected)") }
        if let found { texts.append("found \(found)") }
        if let origin { texts.append("key: \(origin)") }
        return texts
    }

    /// The comparison behind a failure in one sentence.
    public var comparison: String? {
        guard let expected, let found else { return detail.isEmpty ? nil : detail }
        return "expected \(expected); found \(found)"
    }
}
