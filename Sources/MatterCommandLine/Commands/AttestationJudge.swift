import JSON
import Logging
import MatterCommissioning
import MatterCredentials
import MatterDataModel

/// The trust store that the options of a command describe.
struct TrustSetup {
    let allowTestDevices: Bool
    let folder: String?

    func store() throws -> TrustStore {
        guard let folder else { return TrustStore(allowTestDevices: allowTestDevices) }
        let (files, unreadable) = try TrustDirectory.read(folder)
        return TrustStore(allowTestDevices: allowTestDevices, files: files, unreadable: unreadable)
    }
}

/// Judges a device's attestation as the user wants it judged.
struct AttestationJudge: Sendable {
    let mode: Commission.AttestationMode
    let trust: TrustStore
    /// Seconds since 1970.
    let now: Int64
    /// Tells the user something that does not stop the commissioning.
    let warn: @Sendable (String) -> Void
    /// Gets every step of the verification.
    let logger: Logger

    func attest(_ evidence: AttestationEvidence) throws(CommissioningError) -> AttestationSummary {
        guard mode != .skip else {
            return AttestationSummary(verdict: AttestationVerdict.skipped.rawValue, authority: nil)
        }
        let time = MatterEpoch.seconds(unix: now).map { ValidationTime.now($0) } ?? .none
        let report = AttestationVerifier(trust: trust).verify(evidence, at: time)
        for line in report.lines { logger.debug("\(line)") }
        if let hint = report.hint { logger.debug("hint: \(Hints.text(hint))") }
        for file in trust.unusable { warn("warning: \(TerminalText.escaped(file.description))") }
        if report.verdict == .untrusted {
            guard mode == .warn else {
                let refusal = AttestationRefusal(report: report)
                throw CommissioningError(
                    .attestationRefused, stage: .attestation, "attestation failed: \(refusal.reason)",
                    hint: report.hint, underlying: refusal)
            }
            let reason = TerminalText.escaped(AttestationRefusal(report: report).reason)
            warn("warning: attestation failed: \(reason); continuing because of --attestation warn")
        }
        return AttestationSummary(
            verdict: report.verdict.rawValue, authority: report.authority.map { "\($0.subject)" })
    }
}

/// Why a device's attestation was refused: a sentence for people, everything else for programs.
struct AttestationRefusal: Error {
    /// How much of a name a sentence holds.
    private static let longestName = 40

    let report: AttestationReport

    /// The first failure with its number, as the reference implementation counts them.
    var reason: String {
        guard let result = report.result else { return "untrusted" }
        switch result {
        case .paaNotFound:
            let name = report.soughtName.map { name in
                let text = "\(name)"
                return text.count > Self.longestName ? " '\(text.prefix(Self.longestName))…'" : " '\(text)'"
            }
            return "its root authority\(name ?? "") is not trusted (\(result.rawValue))"
        default:
            return "\(result) (\(result.rawValue))"
        }
    }

    /// What was looked for, what there was, and every step.
    var json: JSONValue {
        var object: JSONObject = [:]
        object["result"] = report.result.map { .string("\($0)") }
        object["code"] = report.result.map { .int(Int64($0.rawValue)) }
        object["step"] = report.failedStep.map { .string($0.rawValue) }
        object["vendorId"] = report.reported.vendorID.map { .uint(UInt64($0.rawValue)) }
        object["productId"] = report.reported.productID.map { .uint(UInt64($0)) }
        object["dac"] = report.dac.map(Self.json)
        object["pai"] = report.pai.map(Self.json)
        object["soughtName"] = report.soughtName.map { .string("\($0)") }
        object["soughtKeyId"] = report.soughtKeyIdentifier.map(Self.hexadecimal)
        object["paa"] = report.authority.map { authority in
            .object([
                "subject": .string("\(authority.subject)"), "keyId": Self.hexadecimal(authority.keyIdentifier),
                "origin": .string("\(authority.origin)"),
            ])
        }
        object["checks"] = .array(report.checks.map(Self.json))
        return .object(object)
    }

    private static func json(_ certificate: AttestationCertificate) -> JSONValue {
        var object: JSONObject = ["subject": .string("\(certificate.subject)")]
        object["issuer"] = .string("\(certificate.issuer)")
        object["keyId"] = certificate.subjectKeyIdentifier.map(hexadecimal)
        object["serial"] = hexadecimal(certificate.serialNumber)
        object["validity"] = .string("\(certificate.validity)")
        return .object(object)
    }

    private static func json(_ check: AttestationCheck) -> JSONValue {
        var object: JSONObject = ["step": .string(check.step.rawValue)]
        switch check.outcome {
        case .passed: object["outcome"] = "passed"
        case .skipped: object["outcome"] = "skipped"
        case .failed(let result):
            object["outcome"] = "failed"
            object["code"] = .int(Int64(result.rawValue))
        }
        if !check.detail.isEmpty { object["detail"] = .string(check.detail) }
        return .object(object)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> JSONValue {
        .string("hex:" + Hex.encode(bytes, uppercase: true))
    }
}
