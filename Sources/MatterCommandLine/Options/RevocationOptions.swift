import ArgumentParser
import MatterController

/// What `--revocation` says.
enum RevocationArgument: String, ExpressibleByArgument, CaseIterable {
    case strict, soft, off

    var policy: TrustPolicy.Revocation {
        switch self {
        case .strict: .strict
        case .soft: .soft
        case .off: .off
        }
    }
}

/// Options of every command that judges the attestation of a device.
struct RevocationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Whether the certificates may be revoked: strict refuses what is not known, soft says so, off does not look.",
            valueName: "MODE"))
    var revocation: RevocationArgument = .soft
    @Option(
        help: ArgumentHelp(
            "Also count the revoked certificates in this file (JSON, as the reference implementation takes it).",
            valueName: "FILE"))
    var revocationSet: String?

    func apply(to policy: inout TrustPolicy) {
        policy.revocation = revocation.policy
        policy.revocationSet = revocationSet
    }
}
