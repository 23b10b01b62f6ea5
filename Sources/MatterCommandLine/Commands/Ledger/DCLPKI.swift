import ArgumentParser
import MatterController

extension DCLCommand {
    struct PKI: CachedLedgerCommand {
        static let configuration = CommandConfiguration(
            commandName: "pki", abstract: "List the roots in the ledger, or show those with a subject or key id.",
            discussion: "Shows what the ledger says; what is trusted is shown by 'matterctl trust ls'.\n\n"
                + "Example: matterctl dcl pki Espressif")

        @Argument(help: "Part of the subject, or the key id.") var subject: String?
        @Flag(help: "Ask the ledger again.") var refresh = false
        @OptionGroup var options: LedgerOptions

        func execute() async throws {
            try await withCachedClient { ledger in
                let roots: [LedgerCertificateID] = try await ledger.need(.rootCertificates).answer
                guard let subject else { return console.result(roots.map { Report($0) }) }
                let key = KeyIdentifierText.decode(subject)
                let folded = subject.lowercased()
                let found = roots.filter {
                    $0.keyIdentifier == key || !folded.isEmpty && $0.name.lowercased().contains(folded)
                }
                guard !found.isEmpty else {
                    throw LedgerError(.notFound, "no root in the ledger has the subject or key id '\(subject)'")
                }
                var reports: [Report] = []
                for root in found {
                    let certificates: [LedgerCertificate] = try await ledger.need(.certificates(root)).answer
                    reports += certificates.map { Report($0) }
                }
                if console.isJSON { return console.result(reports) }
                for (index, report) in reports.enumerated() {
                    if index > 0 { console.result("") }
                    console.result(report)
                }
            }
        }
    }
}

extension Report {
    /// Not checked: as the ledger has it.
    init(_ certificate: LedgerCertificate) {
        let kind =
            switch certificate.kind {
            case .deviceAttestation: "device attestation"
            case .operational: "operational"
            case .vendorSigner: "vendor signer"
            case .unknown: "unknown"
            }
        self.init {
            Report(certificate.identifier)
            Field("vendorId", certificate.vendorID, label: "vendor id")
            Field("purpose", kind, label: "purpose")
            Field("root", certificate.isRoot, label: "root", text: certificate.isRoot ? "yes" : "no")
            Field("pem", certificate.pem)
        }
    }
}
