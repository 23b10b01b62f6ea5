import ArgumentParser
import MatterController

extension TrustCommand {
    struct Export: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write the trusted certificates into a folder, as --trust DIR takes them.",
            discussion: "Example: matterctl trust export authorities")

        @Argument(help: "The folder.", completion: .kind(.folder)) var folder: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let keys = try trustCatalogue().keys.filter { key in
                key.state == .trusted && key.source != .ledger(.test)
            }
            guard keys.contains(where: { $0.der != nil }) else {
                throw LedgerError(
                    .nothingToExport,
                    "there is no certificate to export: the program knows its authorities by their keys",
                    hint: .step("trust.update"))
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
