package import MatterCrypto

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
        let keyIdentifier = certificate.authorityKeyIdentifier ?? []
        let vendorID =
            (try? VendorAndProduct(subject: certificate.issuer))?.vendorID?.rawValue
            ?? set.vendorID(authority: keyIdentifier)
        // Any vendor may put a point with this key identifier into the ledger.
        let points = set.points(issuerKeyIdentifier: keyIdentifier).filter {
            vendorID == nil || $0.vendorID == vendorID
        }
        let all = points.compactMap { status(of: certificate, $0.key, now: now) }
        func isGap(_ status: RevocationStatus) -> Bool { if case .notKnown = status { true } else { false } }
        if let decisive = all.first(where: \.isRevoked) ?? all.first(where: isGap) { return decisive }
        let oldest = all.compactMap(\.list).min { $0.issued ?? 0 < $1.issued ?? 0 }
        return oldest.map { .good($0) } ?? .notKnown("the ledger names no list of its issuer", nil)
    }

    /// - Returns: `nil` for a point that is not the issuer's.
    private func status(
        of certificate: AttestationCertificate, _ point: RevocationPoint.Key, now: Int64?
    ) -> RevocationStatus? {
        let stored = records.list(point, net)
        if stored?.isForeign == true { return nil }
        guard let contents = stored?.contents, let list = stored?.list else {
            let fault = stored?.fault.map { ": \($0)" } ?? ""
            return .notKnown("the list of its issuer was not fetched\(fault)", nil)
        }
        // Another authority may have the same name and key identifier.
        guard certificate.isSigned(by: contents.issuerKey) else {
            return .notKnown("the list is of another issuer", list)
        }
        if let since = contents.date(of: certificate.serialNumberDigits) { return .revoked(since: since, list) }
        guard list.isStale(now: now) else { return .good(list) }
        guard list.nextUpdate != nil, let now else {
            return .notKnown("the list of its issuer does not say when the next one comes", list)
        }
        guard contents.issued >= now - RevocationList.longestTerm else {
            return .notKnown("the list of its issuer is of \(X509Time.text(contents.issued).prefix(10))", list)
        }
        let age = TrustAge(date: contents.fetched, now: now)
        return .notKnown("the list of its issuer is out of date, fetched \(age.days) days ago", list)
    }
}
