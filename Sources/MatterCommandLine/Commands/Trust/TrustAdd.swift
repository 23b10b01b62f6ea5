import ArgumentParser
import MatterController

extension TrustCommand {
    struct Add: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Trust the certificates in a file, for all later commissionings.",
            discussion: """
                A key that was removed is trusted again.

                Example: matterctl trust add paa.pem
                """)

        @Argument(help: "A file of certificates, PEM or DER; - for stdin.", completion: .kind(.file)) var file: String
        @Flag(help: "They sign certification declarations.") var signer = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let contents = try InputFile.contents(file, largest: TrustStore.maximumFileCount)
            var entries: [OwnTrust.Entry] = []
            try await TrustRecords(try state.state()).changeOwn { own in
                entries = try own.add(contents, file: file, asSigners: signer, now: Terminal.current.unixTime())
            }
            let catalogue = try trustCatalogue()
            console.result(
                catalogue.keys.filter { key in entries.contains { $0.der == key.der } }.map { Report($0) })
        }
    }
}
