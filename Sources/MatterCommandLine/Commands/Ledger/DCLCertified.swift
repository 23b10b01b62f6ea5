import ArgumentParser
import MatterController

extension DCLCommand {
    struct Certified: CachedLedgerCommand {
        static let configuration = CommandConfiguration(
            commandName: "certified",
            abstract: "Say which software versions of a product are certified.",
            discussion: "Example: matterctl dcl certified 0x1234 0x8001")

        @OptionGroup var product: ProductArguments
        @Argument(help: "The software version; all by default.") var version: NumberArgument<UInt32>?
        @Flag(help: "Ask the ledger again.") var refresh = false
        @OptionGroup var options: LedgerOptions

        func execute() async throws {
            try await withCachedClient { ledger in
                var numbers: [UInt32] = []
                if let version {
                    numbers = [version.value]
                } else {
                    numbers = try await ledger.need(.versions(product.vendorID, product.productID)).answer
                }
                var reports: [Report] = []
                for number in numbers.suffix(Versions.most) {
                    let query: LedgerQuery<LedgerCompliance> = .compliance(product.vendorID, product.productID, number)
                    reports.append(Report(version: number, try await ledger.ask(query).answer))
                }
                console.result(reports)
            }
        }
    }
}
