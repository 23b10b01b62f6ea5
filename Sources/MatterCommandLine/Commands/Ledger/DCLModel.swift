import ArgumentParser
import MatterController

extension DCLCommand {
    struct Model: CachedLedgerCommand {
        static let configuration = CommandConfiguration(
            commandName: "model",
            abstract: "Show what the vendor says of a product: names, how to commission and reset it, pages.",
            discussion: "Example: matterctl dcl model 0x1234 0x8001")

        @OptionGroup var product: ProductArguments
        @Flag(help: "Ask the ledger again.") var refresh = false
        @OptionGroup var options: LedgerOptions

        func execute() async throws {
            try await withCachedClient { ledger in
                let (model, date) = try await ledger.need(.model(product.vendorID, product.productID))
                let found: DatedAnswer<LedgerVendor> = try await ledger.ask(.vendor(product.vendorID))
                console.result {
                    Report(model, vendor: found.answer)
                    Field.asOf(date)
                }
            }
        }
    }
}
