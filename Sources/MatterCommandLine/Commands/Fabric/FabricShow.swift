import ArgumentParser
import MatterController

extension FabricCommand {
    struct Show: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a fabric's ids and certificates.",
            discussion: "Example: matterctl fabric show home --json")

        @Argument(help: "The name; the fabric in use if left out.", completion: .kind(.fabric)) var name: String?
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let fabric = try FabricStore(try state.state()).select(name ?? state.fabricName)
            try console.result {
                Report(fabric)
                Field(label: "root", try validity(fabric.root))
                Field(label: "intermediate", try fabric.nocIntermediate.map(validity))
                Field(label: "node certificate", try validity(fabric.noc))
            }
        }

        private func validity(_ tlv: [UInt8]) throws -> [String] {
            let certificate = try MatterCertificate(tlv: tlv)
            let end = certificate.notAfter == MatterEpoch.none ? "no end" : MatterEpoch.text(certificate.notAfter)
            return ["valid \(MatterEpoch.text(certificate.notBefore)) – \(end)"]
        }
    }
}
