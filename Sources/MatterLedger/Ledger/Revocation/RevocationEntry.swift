public import MatterCrypto

/// A point of a ledger, with what was fetched from it.
public struct RevocationEntry: Sendable {
    /// How a revocation list stands.
    public enum State: String, Sendable, CaseIterable {
        /// The list is in force.
        case current
        /// There must be a newer one by now.
        case stale
        /// No list was fetched.
        case missing
    }

    /// The ledger that names it.
    public var net: LedgerNet
    /// Where the list is.
    public var point: RevocationPoint
    /// The list that is kept; `nil` if there is none.
    public var stored: StoredList?
    /// How it stands.
    public var state: State

    /// The name of the authority whose certificates are revoked; `nil` until a list came.
    public var issuer: AttestationName? { (stored?.contents?.issuer).flatMap { try? AttestationName(der: $0) } }

    /// Whether its authority has this key identifier, or a name that contains the text.
    public func isNamed(_ text: String) -> Bool {
        KeyIdentifierText.decode(text) == point.issuerKeyIdentifier
            || !text.isEmpty && issuer?.description.lowercased().contains(text.lowercased()) == true
    }
}

extension TrustRecords {
    /// The points of a set.
    ///
    /// - Parameter now: seconds since 1970.
    public func revocation(_ set: TrustSet, now: Int64) -> [RevocationEntry] {
        set.points.map { point in
            let stored = list(point.key, set.net)
            let state: RevocationEntry.State =
                stored?.list.map { $0.isStale(now: now) ? .stale : .current } ?? .missing
            return RevocationEntry(net: set.net, point: point, stored: stored, state: state)
        }
    }
}
