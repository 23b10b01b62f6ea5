import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudIssueNOC: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "issue-noc", abstract: "Have a node's certificate issued for a request, and print it as PEM.",
        discussion: """
            The request stays to be confirmed for some minutes: matterctl cloud confirm REQUEST --group GROUP.

            Example: matterctl cloud issue-noc --group 'Lake House' --csr device.csr
            """)

    @Option(help: ArgumentHelp("The group: id or name.", valueName: "GROUP")) var group: String
    @Option(
        help: ArgumentHelp("The certificate signing request, DER or PEM.", valueName: "FILE"), completion: .kind(.file))
    var csr: String
    @Option(
        help: ArgumentHelp("Metadata to send along: {\"Matter\":{…}}.", valueName: "FILE"), completion: .kind(.file))
    var metadata: String?
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let octets = try InputFile.contents(csr, largest: 16_384)
        let request =
            octets.first == 0x30
            ? try CertificateSigningRequest(der: octets)
            : try CertificateSigningRequest(pem: String(decoding: octets, as: UTF8.self))
        let extra = try metadata.map { file throws in try InputFile.object(file) }
        let group = try await client.convert(try await client.findGroup(group).id)
        let (fabric, fabricID) = try group.requireFabric()
        let (issued, text) = try await RainMakerIssuer.issue(
            request, group: group.id, fabric: fabric, fabricID: fabricID, metadata: extra, client: client,
            time: CloudSetup.time())
        let noc = try issued.noc.pem()
        console.object {
            Field("requestId", issued.receipt.rawValue)
            Field("nodeId", text)
            Field("noc", noc)
        }
        guard !console.isJSON else { return }
        console.result(noc)
        console.message("request \(issued.receipt.rawValue), node \(TerminalText.escaped(text))")
    }
}
