import JSON

extension AttestationReport {
    /// How many products of a declaration, and how many unusable files, the text names.
    private static let shownProducts = 5
    private static let shownFiles = 10

    /// The report for a person: the verdict, what was looked for and found, and every step, a line each.
    package var lines: [String] {
        var lines = ["attestation: \(verdict.rawValue)" + (failure.map { " - \($0)" } ?? "")]
        func line(_ label: String, _ text: String?) {
            guard let text else { return }
            lines.append("  " + label + String(repeating: " ", count: max(1, 13 - label.count)) + text)
        }
        if verdict == .skipped { return lines }
        line("device", "\(reported) (Basic Information)")
        line("DAC", dac.map { Self.text($0, dacIdentifiers) })
        line("PAI", pai.map { Self.text($0, paiIdentifiers) })
        line("looked for", soughtKeyIdentifier.map { "PAA with key id \(Self.hex($0))" + named(soughtName) })
        if soughtKeyIdentifier != nil {
            line(
                "found",
                authority.map { "\($0.subject), key id \(Self.hex($0.keyIdentifier)) (\($0.origin))" } ?? "none")
        }
        for source in sources { line("source", source) }
        for file in unusableTrust.prefix(Self.shownFiles) { line("not used", "\(file)") }
        if unusableTrust.count > Self.shownFiles {
            line("not used", "\(unusableTrust.count - Self.shownFiles) more files")
        }
        line("declaration", declarationText)
        for check in checks {
            let mark =
                switch check.outcome {
                case .passed: "ok"
                case .failed(let result): "FAILED (\(result.rawValue))"
                case .skipped: "skipped"
                }
            line("check", "\(check.step): \(mark)" + (check.detail.isEmpty ? "" : " - \(check.detail)"))
        }
        for note in notes { line("note", note) }
        return lines
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
        return "VID \(elements.vendorID), PID "
            + elements.productIDs.prefix(Self.shownProducts).map { HexDigits.text($0) }.joined(separator: " ")
            + (elements.productIDs.count > Self.shownProducts
                ? " and \(elements.productIDs.count - Self.shownProducts) more" : "")
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
