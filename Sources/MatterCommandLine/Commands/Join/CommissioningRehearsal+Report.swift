import MatterController

extension Report {
    /// The output of `commission --dry-run`.
    init(_ rehearsal: CommissioningRehearsal) {
        let location = LocationArgument.allCases.first { $0.number == rehearsal.location }?.rawValue
        let network = rehearsal.network
        self.init {
            Field("dryRun", true)
            Field("vendorId", rehearsal.information.vendorID, label: "vendor")
            Field("productId", rehearsal.information.productID, label: "product")
            Field(
                "attestation",
                rehearsal.attestation.map { summary in
                    Report { Field("verdict", summary.report.verdict.rawValue) }
                })
            Field(label: "attestation", rehearsal.attestation.map { [$0.report.verdict.rawValue] })
            Field("country", rehearsal.country, label: "country")
            Field("location", location, label: "location")
            Field(
                "network",
                network.map { attempt in
                    Report {
                        Field("network", attempt.credential.name)
                        Field("kind", attempt.credential.kind.rawValue)
                        Field("endpoint", attempt.interface.endpoint)
                    }
                })
            Field(
                label: "network",
                network.map { ["\($0.credential.kind.rawValue) '\($0.credential.name)'"] } ?? ["stays where it is"])
            Field("commands", rehearsal.commands, label: "commands", text: rehearsal.commands.joined(separator: ", "))
        }
    }
}
