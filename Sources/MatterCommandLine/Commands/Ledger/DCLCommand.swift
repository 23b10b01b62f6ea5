import ArgumentParser

/// The Alliance's ledger for people.
struct DCLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dcl", abstract: "Look things up in the Alliance's ledger of products.",
        discussion: """
            Answers are kept for a day; --refresh asks again.

            Example: matterctl dcl model 0x1234 0x8001
            """,
        subcommands: [Model.self, Vendor.self, Versions.self, Certified.self, PKI.self])
}
