import ArgumentParser
import MatterController

extension TrustCommand {
    struct Update: LedgerCommand {
        static let configuration = CommandConfiguration(
            commandName: "update",
            abstract: "Bring authorities and lists of revoked certificates up to date from the Alliance's ledger.",
            discussion: """
                No authority changes unless all could be fetched; an update that was cut short goes on where it stopped. \
                Lists of revoked certificates are fetched one by one: one that fails leaves the stored one. \
                What comes from the ledger for development (--test-net) is trusted with --allow-test-devices only.

                Example: matterctl trust update
                """)

        @Flag(help: "Agree to losing more than a tenth of the authorities, or one of the program's own.") var yes =
            false
        @Flag(help: "Also fetch names and instructions of the products on the fabrics.") var models = false
        @OptionGroup var options: LedgerOptions

        private static let time = Duration.seconds(180)

        func execute() async throws {
            let records = TrustRecords(try state.state())
            let end = ContinuousClock.now + (options.timeout?.duration ?? Self.time)
            try await withClient(time: Self.time) { client in
                let update = TrustUpdate(client: client, records: records, now: Terminal.current.unixTime())
                let plan = try await update.plan()
                if !plan.reservations.isEmpty {
                    for removal in plan.removals where !yes {
                        console.message(
                            "would be removed: \(KeyIdentifierText.plain(removal.identifier.keyIdentifier)) "
                                + TerminalText.escaped(removal.identifier.name))
                    }
                    let why = plan.reservations.joined(separator: ", and ")
                    try console.confirm("Take over the ledger's authorities although \(why)?", given: yes)
                }
                try update.save(plan)
                let lists = try await withListFetcher(deadline: end) { fetcher in
                    try await RevocationUpdate(plan.set, records: records, now: Terminal.current.unixTime()) {
                        try await fetcher.fetch($0.url)
                    }.run()
                }
                // The authorities are saved by now, whatever comes of the models.
                var count: Int?
                var fault: (any Error)?
                if models {
                    do { count = try await fetchModels(client) } catch { fault = error }
                }
                console.result {
                    Report(plan)
                    Report(lists)
                    Field("models", count, label: "models")
                }
                if let fault { throw fault }
            }
        }

        /// Fetches what the ledger says of the products on the fabrics.
        ///
        /// - Returns: how many it knows.
        private func fetchModels(_ client: LedgerClient) async throws -> Int {
            let directory = try state.state()
            let ledger = CachedLedgerClient(
                client: client, cache: LedgerCache(directory, options.net), console: console, refresh: true,
                now: Terminal.current.unixTime())
            var products: Set<[UInt16]> = []
            for fabric in try FabricStore(directory).names() {
                for node in try NodeStore(directory, fabric: fabric).sound().nodes {
                    if let vendor = node.vendorID, let product = node.productID { products.insert([vendor, product]) }
                }
            }
            for vendorID in Set(products.compactMap(\.first)) {
                let vendor: LedgerQuery<LedgerVendor> = .vendor(vendorID)
                _ = try await ledger.ask(vendor)
            }
            var count = 0
            for product in products {
                guard let vendorID = product.first, let productID = product.last else { continue }
                let model: LedgerQuery<LedgerModel> = .model(vendorID, productID)
                guard try await ledger.ask(model).answer != nil else { continue }
                count += 1
                let versions: LedgerQuery<[UInt32]> = .versions(vendorID, productID)
                let numbers = try await ledger.ask(versions).answer ?? []
                for version in numbers.suffix(LedgerProductEntry.mostVersions).reversed() {
                    let query: LedgerQuery<LedgerCompliance> = .compliance(vendorID, productID, version)
                    if try await ledger.ask(query).answer != nil { break }
                }
            }
            return count
        }
    }
}
