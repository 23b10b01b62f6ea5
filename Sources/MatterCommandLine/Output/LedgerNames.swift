import JSON
import MatterLedger
import MatterStore

/// What the ledger said of products when it was asked last; it is not asked here.
struct LedgerNames: Sendable {
    private let cache: LedgerCache

    init(_ state: StateDirectory) { cache = LedgerCache(state, .main) }

    func vendor(_ vendorID: UInt16?) -> LedgerVendor? {
        guard let vendorID else { return nil }
        let query: LedgerQuery<LedgerVendor> = .vendor(vendorID)
        return cache.known(query)?.answer
    }

    func model(_ vendorID: UInt16?, _ productID: UInt16?) -> DatedAnswer<LedgerModel>? {
        guard let vendorID, let productID else { return nil }
        let query: LedgerQuery<LedgerModel> = .model(vendorID, productID)
        return cache.known(query)
    }

    /// All that is known of a product, if anything is.
    func report(_ vendorID: UInt16?, _ productID: UInt16?) -> Report? {
        guard let found = model(vendorID, productID), let model = found.answer else { return nil }
        return Report {
            Report(model, vendor: vendor(vendorID))
            Field.asOf(found.date)
        }
    }
}

extension Report {
    /// The member of a result that says what the ledger knows.
    init(ledger names: LedgerNames, _ vendorID: UInt16?, _ productID: UInt16?) {
        let report = names.report(vendorID, productID)
        let model = names.model(vendorID, productID)?.answer
        self.init {
            Field("ledger", report?.json)
            Field(label: "in the ledger", (model?.name).map { [$0] })
            Field(label: "to add to another fabric", model?.secondarySteps.list)
            Field(label: "to reset", model?.factoryResetSteps.list)
            Field(label: "support", (model?.supportURL).map { [$0] })
        }
    }
}
