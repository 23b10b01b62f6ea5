import MatterBase

extension AttestationExamination {
    /// Adds what a person should know although it is no fault.
    mutating func addNotes() {
        if case .now(let seconds) = time, let pai = report.pai, !pai.validity.contains(MatterEpoch.unix(seconds)) {
            report.notes.append("the PAI is not valid now (\(pai.validity)), which does not matter")
        }
        if let count = report.declaration?.trailingCount, count > 0 {
            report.notes.append(
                "bytes behind the declaration: \(count); its signature does not cover them, and they are ignored")
        }
        if let reason = report.revocation?.reason { report.notes.append("revocation is not known: \(reason)") }
        if let text = evidence.noteOnSource { report.notes.append(text) }
        if report.verdict == .incomplete {
            report.notes.append("not judged: " + report.unjudged.map(\.rawValue).joined(separator: ", "))
        }
    }

    /// The next step after a failure.
    var hint: Hint? {
        switch report.result {
        case nil: report.verdict == .incomplete ? .step("attestation.complete-files") : nil
        case .success: nil
        case .authorityDistrusted:
            .step("attestation.trust-again", AttestationReport.hex(report.soughtKeyIdentifier ?? []))
        case .authorityWithdrawn: .step("attestation.see-withdrawn")
        case .paaNotFound: hintForAuthority
        case .declarationNoCertificateFound: hintForSigner
        case .dacExpired:
            "check this machine's clock; if it is right, the device's certificate is at fault"
        case .paaFormatInvalid:
            "replace the certificate of this authority (\(report.authority?.origin.description ?? "none")) with a correct one"
        case .revocationNotKnown: .step("attestation.fetch-lists")
        case .paaRevoked, .dacRevoked, .paiRevoked, .paiAndDACRevoked:
            "the manufacturer has revoked this device's credentials: ask the manufacturer or the seller"
        case .attestationSignatureInvalid, .nonceMismatch:
            "try once more; if it fails again, the device lacks the key of its certificate and may be a counterfeit"
        default: "the device is faulty or a counterfeit: ask its manufacturer for an update or a replacement"
        }
    }

    private var hintForAuthority: Hint {
        let isDevelopment = WellKnownKeys.developmentAuthorities.contains {
            $0.keyIdentifier == report.soughtKeyIdentifier
        }
        if isDevelopment {
            return .step("attestation.development-device")
        }
        let advice = Hint.step("attestation.add-authority")
        let remedy = trust.allowsTestDevices ? advice : .step("attestation.if-development") + "; else " + advice
        return trust.unusable.isEmpty ? remedy : remedy + "; files that could not be used: \(trust.unusable.count)"
    }

    private var hintForSigner: Hint {
        let keyIdentifier = report.declaration?.signerKeyIdentifier
        let isDevelopment = WellKnownKeys.developmentDeclarationSigners.contains { $0.keyIdentifier == keyIdentifier }
        if isDevelopment, report.declarationSigner == nil {
            return .step("attestation.development-declaration")
        }
        if report.declarationSigner != nil {
            return "a certified product needs a declaration signed by the Alliance: ask the manufacturer"
        }
        return .step("attestation.add-signer", TrustDirectory.signersFolder)
    }
}
