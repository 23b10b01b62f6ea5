import ArgumentParser
import JSON
import MatterController
import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterLedger

extension TrustCommand {
    struct Add: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Trust the certificates in a file, for all later commissionings.",
            discussion: """
                A key that was removed is trusted again.

                Example: matterctl trust add paa.pem
                """)

        @Argument(help: "A file of certificates, PEM or DER; - for stdin.") var file: String
        @Flag(help: "They sign certification declarations.") var signer = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let contents = try InputFile.contents(file, largest: TrustStore.maximumFileCount)
            var entries: [OwnTrust.Entry] = []
            try await TrustRecords(try state.state()).changeOwn { own in
                entries = try own.add(contents, file: file, asSigners: signer, now: Clock.unixTime())
            }
            let catalogue = try trustCatalogue()
            console.result(
                catalogue.keys.filter { key in entries.contains { $0.der == key.der } }.map { Report($0) })
        }
    }

    struct Remove: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Trust a key no longer, whoever listed it.",
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
            try console.confirm("Trust \(TerminalText.escaped("\(key.subject)")) no longer?", given: yes)
            try await TrustRecords(try state.state()).changeOwn { own in
                own.remove(key.keyIdentifier, isListed: isListed)
            }
        }
    }

    struct Export: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write the trusted certificates into a folder, as --trust DIR takes them.",
            discussion: "Example: matterctl trust export authorities")

        @Argument(help: "The folder.") var folder: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let keys = try trustCatalogue().keys.filter { key in
                key.state == .trusted && key.source != .ledger(.test)
            }
            var count = 0
            var place = folder
            while place.count > 1, place.hasSuffix("/") { place.removeLast() }
            for key in keys {
                guard let der = key.der else { continue }
                let name = "\(KeyIdentifierText.plain(key.keyIdentifier)).der"
                let path = key.isSigner ? "\(TrustDirectory.signersFolder)/\(name)" : name
                try OutputFile.write(der, to: "\(place)/\(path)")
                count += 1
            }
            console.result {
                Field("folder", folder, label: "folder")
                Field("certificates", count, label: "certificates")
            }
            let missing = keys.count { $0.der == nil && !$0.isSigner }
            if missing > 0 {
                console.message(
                    "warning: \(missing) authorities are built in without their certificates; "
                        + Hints.text(.step("trust.update")))
            }
        }
    }
}
