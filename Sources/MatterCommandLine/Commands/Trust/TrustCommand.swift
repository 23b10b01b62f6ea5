import ArgumentParser
import MatterLedger

struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "The keys that the attestation of devices ends at.",
        discussion: "Example: matterctl trust update",
        subcommands: [Update.self, List.self, Show.self, Add.self, Remove.self, Export.self])
}

extension StateCommand {
    /// All keys that are known here.
    func trustCatalogue() throws -> TrustCatalogue {
        let records = TrustRecords(try state.state())
        return TrustCatalogue(
            main: try records.set(.main), test: try records.set(.test), own: try records.ownTrust())
    }
}
