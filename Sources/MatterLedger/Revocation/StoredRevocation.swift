package import MatterCredentials

/// The lists that were fetched for the points of a ledger.
package struct StoredRevocation: RevocationSource {
    private let set: StoredTrust
    private let records: TrustRecords
    private let net: LedgerNet

    package init(_ set: StoredTrust, _ records: TrustRecords) {
        self.set = set
        self.records = records
        net = set.isTest ? .test : .main
    }

    /// A certificate is good only if every list of its issuer is at hand and in force.
    package func status(of certificate: AttestationCertificate, now: Int64?) -> RevocationStatus {
        let points = set.points(issuerKeyIdentifier: certificate.authorityKeyIdentifier ?? [])
        let all = points.map { status(of: certificate, $0.key, now: now) }
        func isGap(_ status: RevocationStatus) -> Bool { if case .notKnown = status { true } else { false } }
        if let decisive = all.first(where: \.isRevoked) ?? all.first(where: isGap) { return decisive }
        let oldest = all.compactMap(\.list).min { $0.issued ?? 0 < $1.issued ?? 0 }
        return oldest.map { .good($0) } ?? .notKnown("the ledger names no list of its issuer", nil)
    }

    private func status(
        of certificate: AttestationCertificate, _ point: RevocationPoint.Key, now: Int64?
    ) -> RevocationStatus {
        let stored = records.list(point, net)
        guard let contents = stored?.contents, let list = stored?.list else {
            let fault = stored?.fault.map { ": \($0)" } ?? ""
            return .notKnown("the list of its issuer was not fetched\(fault)", nil)
        }
        // Another authority may have the same name and key identifier.
        guard certificate.isSigned(by: contents.issuerKey) else {
            return .notKnown("the list is of another issuer", list)
        }
        if let since = contents.date(of: certificate.serialNumberDigits) { return .revoked(since: since, list) }
        guard let now, list.isStale(now: now) else { return .good(list) }
        let age = TrustAge(date: contents.fetched, now: now)
        return .notKnown("the list of its issuer is out of date, fetched \(age.days) days ago", list)
    }
}
