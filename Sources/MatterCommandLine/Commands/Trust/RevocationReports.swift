import MatterController

extension Report {
    init(_ entry: RevocationEntry) {
        let contents = entry.stored?.contents
        let issuer = entry.issuer.map { "\($0)" } ?? entry.point.label
        self.init {
            Field(
                "keyId", KeyIdentifierText.plain(entry.point.issuerKeyIdentifier), label: "key id", column: "KEY ID")
            Field("subject", issuer, label: "subject", column: "SUBJECT", text: "list of \(issuer)")
            Field("kind", "revocation-list", label: "kind")
            Field(
                "vendorId", entry.point.vendorID, label: "vendor", text: VendorID(entry.point.vendorID).description)
            Field("label", entry.point.label, label: "label")
            Field(
                "origin", entry.net == .test ? "test ledger" : "ledger", label: "origin", column: "ORIGIN")
            Field("state", entry.state.rawValue, label: "state", column: "STATE")
            Field("since", contents.map { DateText.day($0.fetched) }, label: "fetched", column: "SINCE")
            Field("url", entry.point.url, label: "url")
            Field("issued", contents.map { DateText.time($0.issued) }, label: "issued")
            Field("nextUpdate", contents?.nextUpdate.map { DateText.time($0) }, label: "next update")
            Field("revoked", contents?.count, label: "revoked certificates")
            Field("fault", entry.stored?.fault, label: "last attempt")
        }
    }

    /// The outcome of fetching the lists.
    init(_ outcomes: [RevocationUpdate.Outcome]) {
        func json(_ outcome: RevocationUpdate.Outcome) -> Report {
            Report {
                Field("keyId", KeyIdentifierText.plain(outcome.point.issuerKeyIdentifier))
                Field("label", outcome.point.label)
                Field("url", outcome.point.url)
                Field("revoked", outcome.stored.contents?.count)
                Field("issued", outcome.stored.contents.map { DateText.time($0.issued) })
                Field("fault", outcome.stored.fault)
            }
        }
        self.init {
            Field("revocationLists", outcomes.map { json($0).json })
            Field(label: "revocation lists", ["\(outcomes.count { $0.stored.fault == nil })"])
            for outcome in outcomes {
                if let fault = outcome.stored.fault {
                    let rest = outcome.stored.contents.map { "; that of \(DateText.day($0.issued)) is kept" } ?? ""
                    Field(label: "list not fetched", ["\(outcome.point.url): \(fault)\(rest)"])
                }
            }
        }
    }
}
