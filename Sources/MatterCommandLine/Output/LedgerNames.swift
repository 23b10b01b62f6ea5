import MatterController

/// The ledger's entries on products when it was asked last; it is not asked here.
struct LedgerNames: Sendable {
    private let cache: LedgerCache

    init(_ state: StateDirectory) { cache = LedgerCache(state, .main) }

    func vendor(_ vendorID: UInt16?) -> LedgerVendor? {
        guard let vendorID else { return nil }
        let query: LedgerQuery<LedgerVendor> = .vendor(vendorID)
        return cache.known(query)?.answer
    }

    /// The name of a vendor, also of common ones that the ledger was not asked about.
    func vendorName(_ vendorID: UInt16?) -> String? {
        vendor(vendorID)?.name ?? vendorID.flatMap(VendorNames.name)
    }

    /// - Returns: `nil` if nothing is known of it.
    func product(_ vendorID: UInt16?, _ productID: UInt16?) -> LedgerProductEntry? {
        guard let vendorID, let productID else { return nil }
        let query: LedgerQuery<LedgerModel> = .model(vendorID, productID)
        guard let found = cache.known(query), let model = found.answer else { return nil }
        return LedgerProductEntry(
            model: model, vendor: vendor(vendorID), certification: certification(vendorID, productID), date: found.date)
    }

    private func certification(_ vendorID: UInt16, _ productID: UInt16) -> LedgerProductEntry.Certification? {
        let versions: LedgerQuery<[UInt32]> = .versions(vendorID, productID)
        var newest: LedgerProductEntry.Certification?
        for version in (cache.known(versions)?.answer ?? []).suffix(LedgerProductEntry.mostVersions).reversed() {
            let query: LedgerQuery<LedgerCompliance> = .compliance(vendorID, productID, version)
            guard let known = cache.known(query) else { continue }
            let certification = LedgerProductEntry.Certification(version: version, compliance: known.answer)
            if known.answer != nil { return certification }
            newest = newest ?? certification
        }
        return newest
    }
}

/// The ledger's entry on a product.
struct LedgerProductEntry: Sendable {
    /// The newest software version whose certification the ledger knows or, if it knows none, the newest at all.
    struct Certification: Sendable {
        var version: UInt32
        /// `nil` if the ledger has no entry.
        var compliance: LedgerCompliance?

        /// For people.
        var text: String {
            guard let compliance else { return "not certified" }
            let state =
                switch compliance.status {
                case .certified?: "certified"
                case .provisional?: "provisionally certified"
                case .revoked?: "certification withdrawn"
                case .development?: "in development"
                case nil: "in a state of certification that this program does not know"
                }
            let day = compliance.date.map { " since \($0.prefix("2026-07-15".count))" } ?? ""
            return "\(state)\(day) (software version \(version))"
        }
    }

    /// How many software versions are looked at, from the newest on: each is a question to the ledger.
    static let mostVersions = 5

    let model: LedgerModel
    let vendor: LedgerVendor?
    let certification: Certification?
    /// When the ledger was asked, in seconds since 1970.
    let date: Int64

    /// In one line; `nil` if the ledger has no names.
    var summary: String? {
        guard let name = model.name ?? model.label else { return nil }
        return name + (vendor?.name.map { " by \($0)" } ?? "") + (certification.map { ", \($0.text)" } ?? "")
    }

    /// The page that the manufacturer wants a new owner to begin at.
    var flowURL: String? { model.flow == .custom ? model.flowURL : nil }

    /// The manufacturer's words on how to make the device ready for commissioning.
    var preparation: String? {
        let new = model.initialSteps.list.map { "a new one: \($0.joined(separator: ", "))" }
        let other = model.secondarySteps.list.map { "one on another fabric: \($0.joined(separator: ", "))" }
        let manual = model.userManualURL.map { "manual: \($0)" }
        let page = (flowURL ?? model.fallbackURL).map { "page: \($0)" }
        let parts = [new, other, page, manual].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    var report: Report {
        Report {
            Report(model, vendor: vendor)
            Field("certification", certification.map { Report(version: $0.version, $0.compliance).json })
            Field.asOf(date)
        }
    }
}

extension Report {
    /// The ledger's entry on the product of a result, for programs and people; nothing if it was not asked.
    init(ledger names: LedgerNames, _ vendorID: UInt16?, _ productID: UInt16?) {
        let entry = names.product(vendorID, productID)
        let model = entry?.model
        self.init {
            Field("ledger", entry?.report.json)
            Field(
                label: "in the ledger",
                entry.flatMap { entry in entry.summary.map { [$0, "as of \(DateText.day(entry.date))"] } })
            Field(label: "commissioning page", entry?.flowURL.map { [$0] })
            Field(label: "to commission", model?.initialSteps.list)
            Field(label: "to add to another fabric", model?.secondarySteps.list)
            Field(label: "to reset", model?.factoryResetSteps.list)
            Field(label: "manual", (model?.userManualURL).map { [$0] })
            Field(label: "support", (model?.supportURL).map { [$0] })
        }
    }
}

extension Console {
    /// Tells people what the ledger said of a product; programs have it in the result.
    func note(_ entry: LedgerProductEntry?, of subject: String? = nil) {
        guard !isJSON, let entry else { return }
        let page = entry.flowURL.map { "commissioning begins at \($0)" }
        let manual = entry.model.userManualURL.map { "manual: \($0)" }
        let parts = [entry.summary, page, manual].compactMap { $0 }
        guard !parts.isEmpty else { return }
        message(TerminalText.escaped((subject.map { "\($0): " } ?? "") + parts.joined(separator: "; ")))
    }
}
