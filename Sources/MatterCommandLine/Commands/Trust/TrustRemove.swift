import ArgumentParser
import MatterController

extension TrustCommand {
    struct Remove: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Stop trusting a key, even if it is built in or in the ledger.",
            discussion: "Example: matterctl trust remove 0A1B2C3D --yes")

        @Argument(help: "The key id.") var keyID: String
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func validate() throws {
            guard KeyIdentifierText.decode(keyID) != nil else {
                throw ValidationError("the key id is hexadecimal digits, as 'matterctl trust ls' shows them")
            }
        }

        func execute() async throws {
            let keys = try trustCatalogue().keys(named: keyID)
            guard let key = keys.first else { return }
            let isListed = keys.contains { if case .file = $0.source { false } else { true } }
            try console.confirm("Stop trusting \(TerminalText.escaped("\(key.subject)"))?", given: yes)
            try await TrustRecords(try state.state()).changeOwn { own in
                own.remove(key.keyIdentifier, isListed: isListed)
            }
            console.object {
                Field("keyId", JSONValue.octets(key.keyIdentifier))
                Field("result", "removed")
            }
        }
    }
}
