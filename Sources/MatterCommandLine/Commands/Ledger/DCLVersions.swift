import ArgumentParser
import MatterController

extension DCLCommand {
    struct Versions: CachedLedgerCommand {
        static let configuration = CommandConfiguration(
            commandName: "versions",
            abstract: "List the software versions of a product.",
            discussion: "Example: matterctl dcl versions 0x1234 0x8001")

        @OptionGroup var product: ProductArguments
        @Flag(help: "Ask the ledger again.") var refresh = false
        @OptionGroup var options: LedgerOptions

        func execute() async throws {
            try await withCachedClient { ledger in
                let numbers: [UInt32] = try await ledger.need(.versions(product.vendorID, product.productID)).answer
                var versions: [ModelVersion] = []
                for number in numbers.suffix(Self.most) {
                    let query: LedgerQuery<ModelVersion> = .version(product.vendorID, product.productID, number)
                    if let version = try await ledger.ask(query).answer { versions.append(version) }
                }
                console.result(versions.map { Report($0) })
            }
        }
    }
}

extension DCLCommand.Versions {
    /// How many versions are shown, the latest: each is a question to the ledger.
    static let most = 100
}
