import ArgumentParser
import MatterLedger

extension DCLCommand {
    struct Versions: CachedLedgerCommand {
        static let configuration = CommandConfiguration(
            commandName: "versions",
            abstract: "List the software versions of a product.",
            discussion: "Example: matterctl dcl versions 0x1234 0x8001")

        @Argument(help: "The vendor id.") var vendor: NumberArgument<UInt16>
        @Argument(help: "The product id.") var product: NumberArgument<UInt16>
        @Flag(help: "Ask the ledger again.") var refresh = false
        @OptionGroup var options: LedgerOptions

        func execute() async throws {
            try await withDesk { desk in
                let numbers: [UInt32] = try await desk.need(.versions(vendor.value, product.value)).answer
                var versions: [ModelVersion] = []
                for number in numbers.suffix(Self.most) {
                    let query: LedgerQuery<ModelVersion> = .version(vendor.value, product.value, number)
                    if let version = try await desk.ask(query).answer { versions.append(version) }
                }
                console.result(versions.map { Report($0) })
            }
        }
    }

    struct Certified: CachedLedgerCommand {
        static let configuration = CommandConfiguration(
            commandName: "certified",
            abstract: "Say which software versions of a product are certified.",
            discussion: "Example: matterctl dcl certified 0x1234 0x8001")

        @Argument(help: "The vendor id.") var vendor: NumberArgument<UInt16>
        @Argument(help: "The product id.") var product: NumberArgument<UInt16>
        @Argument(help: "The software version; all by default.") var version: NumberArgument<UInt32>?
        @Flag(help: "Ask the ledger again.") var refresh = false
        @OptionGroup var options: LedgerOptions

        func execute() async throws {
            try await withDesk { desk in
                var numbers: [UInt32] = []
                if let version {
                    numbers = [version.value]
                } else {
                    numbers = try await desk.need(.versions(vendor.value, product.value)).answer
                }
                var reports: [Report] = []
                for number in numbers.suffix(Versions.most) {
                    let query: LedgerQuery<LedgerCompliance> = .compliance(vendor.value, product.value, number)
                    reports.append(Report(version: number, try await desk.ask(query).answer))
                }
                console.result(reports)
            }
        }
    }
}

extension DCLCommand.Versions {
    /// How many versions are shown, the latest: each is a question to the ledger.
    static let most = 100
}
