import MatterLedger

extension TrustPolicy {
    /// How the policy looks for revocation; `nil` if it does not.
    ///
    /// - Throws: ``AttestationError`` if the file of a revocation set cannot be used.
    func revocationCheck(_ ledgers: [StoredTrust], _ records: TrustRecords) throws -> RevocationCheck? {
        guard enforcement != .skip, revocation != .off else { return nil }
        var sources: [any RevocationSource] = ledgers.map { StoredRevocation($0, records) }
        if let revocationSet { sources.append(try RevocationSet(file: revocationSet)) }
        return RevocationCheck(sources: sources, isStrict: revocation == .strict)
    }
}

extension RevocationJudgement {
    /// For programs: the verdict on the chain, and what is known of each certificate.
    public var json: JSONValue {
        var object: JSONObject = ["status": .string(verdict.rawValue)]
        object["since"] = since.map { .string(X509Time.text($0)) }
        object["reason"] = reason.map { .string($0) }
        object["dac"] = dac.json
        object["pai"] = pai.json
        return .object(object)
    }
}

extension RevocationStatus {
    fileprivate var json: JSONValue {
        func time(_ seconds: Int64?) -> JSONValue? { seconds.map { .string(X509Time.text($0)) } }
        var object: JSONObject = [:]
        switch self {
        case .good: object["status"] = "good"
        case .revoked(let since, _):
            object["status"] = "revoked"
            object["since"] = time(since)
        case .notKnown(let reason, _):
            object["status"] = "not-known"
            object["reason"] = .string(reason)
        }
        object["list"] = list.map { .string($0.origin) }
        object["issued"] = time(list?.issued)
        object["nextUpdate"] = time(list?.nextUpdate)
        object["fetched"] = time(list?.fetched)
        return .object(object)
    }
}
