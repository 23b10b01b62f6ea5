import ArgumentParser
import MatterController

extension DCLCommand {
    struct Vendor: CachedLedgerCommand {
        static let configuration = CommandConfiguration(
            commandName: "vendor",
            abstract: "Show a vendor; with --models, its products.",
            discussion: "Example: matterctl dcl vendor 0x1234")

        @Argument(help: "The vendor id.") var vendor: NumberArgument<UInt16>
        @Flag(help: "List its products.") var models = false
        @Flag(help: "Ask the ledger again.") var refresh = false
        @OptionGroup var options: LedgerOptions

        func execute() async throws {
            try await withCachedClient { ledger in
                if models {
                    let products = try await ledger.products(of: vendor.value)
                    var list = console.list()
                    try products.forEach { list.add(Report($0)) }
                    return list.end()
                }
                let (answer, date) = try await ledger.need(.vendor(vendor.value))
                console.result {
                    Report(answer)
                    Field.asOf(date)
                }
            }
        }
    }
}
