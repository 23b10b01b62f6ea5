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

    func attest(_ evidence: AttestationEvidence) throws(CommissioningError) -> AttestationSummary {
        guard mode != .skip else {
            return AttestationSummary(verdict: AttestationVerdict.skipped.rawValue, authority: nil)
        }
        let time = MatterEpoch.seconds(unix: now).map { ValidationTime.now($0) } ?? .none
        let report = AttestationVerifier(trust: trust).verify(evidence, at: time)
        for file in trust.unusable { warn("warning: \(TerminalText.escaped(file.description))") }
        if report.verdict == .untrusted {
            guard mode == .warn else {
                throw CommissioningError(
                    .attestationRefused, stage: .attestation,
                    "the device's attestation does not hold: \(report.failure ?? "untrusted"); \(Self.sought(report))",
                    hint: report.hint)
            }
            warn("warning: attestation: \(TerminalText.escaped(report.failure ?? "untrusted")); going on as asked")
        }
        return AttestationSummary(
            verdict: report.verdict.rawValue, authority: report.authority.map { "\($0.subject)" })
    }

    /// What was looked for and what there was, so that the user can compare.
    private static func sought(_ report: AttestationReport) -> String {
        report.lines.filter { line in
            ["looked for", "found", "DAC", "PAI"].contains { line.hasPrefix("  \($0) ") }
        }.map { line in
            line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }.joined(separator: "; ")
    }
}
