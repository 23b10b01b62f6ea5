import ArgumentParser
import MatterController

/// Options of every command that judges the attestation of a device.
struct TrustOptions: ParsableArguments {
    @Flag(help: "Also trust the attestation authorities of development devices.") var allowTestDevices = false
    @Option(
        help: ArgumentHelp("Also trust the attestation certificates (DER or PEM) in this folder.", valueName: "DIR"),
        completion: .kind(.folder))
    var trust: String?
    @Option(
        help: ArgumentHelp(
            "Whether the certificates may be revoked: strict refuses what is not known, soft says so, off does not look.",
            valueName: "MODE"))
    var revocation: RevocationArgument = .soft
    @Option(
        help: ArgumentHelp(
            "Also count the revoked certificates in this file (JSON, as the reference implementation takes it).",
            valueName: "FILE"), completion: .kind(.file))
    var revocationSet: String?

    func policy(_ enforcement: TrustPolicy.Enforcement = .enforce) -> TrustPolicy {
        var policy = TrustPolicy(enforcement: enforcement, allowsTestDevices: allowTestDevices, folder: trust)
        policy.revocation = revocation.policy
        policy.revocationSet = revocationSet
        return policy
    }
}
