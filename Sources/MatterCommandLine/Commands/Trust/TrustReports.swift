import MatterController

extension TrustedKey.Source {
    var text: String {
        switch self {
        case .builtIn: "built in"
        case .ledger(.main): "ledger"
        case .ledger(.test): "test ledger"
        case .file(let path): path
        }
    }
}

extension Report {
    init(_ key: TrustedKey) {
        self.init {
            Field("keyId", KeyIdentifierText.plain(key.keyIdentifier), label: "key id", column: "KEY ID")
            Field("subject", "\(key.subject)", label: "subject", column: "SUBJECT")
            Field("kind", key.isSigner ? "declaration-signer" : "authority", label: "kind")
            Field(
                "vendorId", key.vendorID, label: "for vendor",
                text: key.vendorID.map { VendorID($0).description })
            Field("notBefore", key.validity.map { DateText.time($0.notBefore) }, label: "valid from")
            Field("notAfter", key.validity.map { DateText.time($0.notAfter) }, label: "valid until")
            Field("origin", key.source.text, label: "origin", column: "ORIGIN")
            Field("state", key.state.rawValue, label: "state", column: "STATE")
            Field("since", DateText.day(key.date), label: "since", column: "SINCE")
            Field("der", key.der.map(JSONValue.octets))
        }
    }

    init(_ plan: TrustPlan) {
        func line(_ identifier: LedgerCertificateID, _ more: String = "") -> String {
            "\(KeyIdentifierText.plain(identifier.keyIdentifier)) \(identifier.name)\(more)"
        }
        let set = plan.set
        self.init {
            Field("net", set.net.rawValue)
            Field("origin", set.origin, label: "origin")
            Field("date", DateText.time(set.date))
            Field("authorities", set.authorities.count, label: "authorities")
            Field("declarationSigners", set.signers.count, label: "declaration signers")
            Field("revocationPoints", set.points.count, label: "revocation points")
            Field("unreadablePoints", plan.pointFaults.isEmpty ? nil : plan.pointFaults)
            for fault in plan.pointFaults { Field(label: "point not read", [fault]) }
            Field("added", plan.additions.map(Report.init))
            Field("renewed", plan.renewals.map(Report.init))
            Field(
                "removed",
                plan.removals.map { removal in
                    Report {
                        Report(removal.identifier)
                        Field("revoked", removal.isRevoked)
                    }.json
                })
            Field(
                "refused",
                plan.refusals.map { refusal in
                    Report {
                        Report(refusal.identifier)
                        Field("reason", refusal.reason)
                    }.json
                })
            for addition in plan.additions { Field(label: "added", [line(addition.identifier)]) }
            for renewal in plan.renewals { Field(label: "renewed", [line(renewal.identifier)]) }
            for removal in plan.removals {
                Field(
                    label: "removed",
                    [line(removal.identifier, removal.isRevoked ? " (revoked)" : " (no longer listed)")])
            }
            for refusal in plan.refusals { Field(label: "refused", [line(refusal.identifier, ": \(refusal.reason)")]) }
        }
    }
}

extension Report {
    fileprivate init(_ addition: TrustPlan.Addition) {
        self.init {
            Report(addition.identifier)
            Field("kind", addition.isSigner ? "declaration-signer" : "authority")
        }
    }
}
