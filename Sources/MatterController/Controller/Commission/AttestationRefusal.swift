public import MatterCrypto

/// Why a device's attestation was refused: a sentence for people, everything else for programs (Matter core
/// specification, 6.2.3).
public struct AttestationRefusal: Error {
    /// How much of a name a sentence holds.
    private static let longestName = 40

    /// The checks made, with their results.
    public let report: AttestationReport

    /// The first failure with its number, as the reference implementation counts them.
    var reason: String {
        guard let result = report.result else {
            return "these steps were not judged: " + report.unjudged.map(\.rawValue).joined(separator: ", ")
        }
        switch result {
        case .paaNotFound:
            let name = report.soughtName.map { name in
                let text = "\(name)"
                return text.count > Self.longestName ? " '\(text.prefix(Self.longestName))…'" : " '\(text)'"
            }
            return "its root authority\(name ?? "") is not trusted (\(result.rawValue))"
        case .dacRevoked, .paiRevoked, .paiAndDACRevoked:
            let since = report.revocation?.since.map { " since \(X509Time.text($0))" } ?? ""
            return "\(result)\(since) (\(result.rawValue))"
        case .paaRevoked, .authorityWithdrawn:
            let since = (report.authorityWithdrawal?.date).map { " since \(X509Time.text($0)) or before" } ?? ""
            return "\(result)\(since) (\(result.rawValue))"
        case .revocationNotKnown:
            return "\(result): \(report.revocation?.reason ?? "") (\(result.rawValue))"
        default:
            return "\(result) (\(result.rawValue))"
        }
    }

    /// The error of a command that the device does not pass.
    package var error: CommissioningError {
        CommissioningError(
            .attestationRefused, stage: .attestation, "attestation failed: \(reason)", hint: report.hint,
            underlying: self)
    }
}
