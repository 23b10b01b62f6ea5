import MatterCrypto

/// The outcome of an update of the trusted authorities: the new set, and how it differs from the old one.
public struct TrustPlan: Sendable {
    /// An authority or signer that is new.
    public struct Addition: Hashable, Sendable {
        /// Which certificate.
        public var identifier: LedgerCertificateID
        /// Whether it signs certification declarations.
        public var isSigner: Bool
    }

    /// A certificate of the ledger that is not trusted.
    public struct Refusal: Hashable, Sendable {
        /// Which certificate.
        public var identifier: LedgerCertificateID
        /// Why it is not taken.
        public var reason: String
    }

    /// The share of the authorities that may vanish at once, percent.
    static let largestLoss = 10

    /// The set that will be trusted.
    public private(set) var set: TrustSet
    /// The new part.
    public private(set) var additions: [Addition] = []
    /// Known keys whose certificate is another one now.
    public private(set) var renewals: [Addition] = []
    /// The part that goes.
    public private(set) var removals: [TrustSet.Withdrawal] = []
    /// Entries of the ledger that are not taken.
    public private(set) var refusals: [Refusal] = []
    /// The faults of revocation points that cannot be read.
    public private(set) var pointFaults: [String] = []
    /// Why a person has to agree.
    public private(set) var reservations: [String] = []

    private let now: Int64
    private let old: TrustSet?

    /// - Parameters:
    ///   - old: the stored set; `nil` if there is none.
    ///   - builtIn: the authorities that the program brings along; none for the ledger for tests.
    ///   - now: seconds since 1970.
    /// - Throws: ``LedgerError`` with `empty` if no authority is left.
    init(
        old: TrustSet?, snapshot: LedgerSnapshot, builtIn: [TrustAnchor], now: Int64
    ) throws(LedgerError) {
        self.old = old
        self.now = now
        set = TrustSet(net: snapshot.net, origin: snapshot.origin, date: now)
        let roots = snapshot.roots.filter { !$0.isDeclarationRoot }
        let before = Self.known(old, builtIn)
        addAuthorities(roots, before, snapshot)
        addSigners(snapshot)
        set.points = snapshot.points
        pointFaults = snapshot.pointFaults
        guard !set.authorities.isEmpty else {
            throw LedgerError(.empty, "the ledger lists no authority that can be trusted; nothing was changed")
        }
        withdraw(before, listed: Set(roots), revoked: Set(snapshot.revokedRoots))
        addReservations(before, builtIn)
    }

    /// Whether anything but the date is new.
    var hasChanges: Bool { !additions.isEmpty || !renewals.isEmpty || !removals.isEmpty }

    private static func known(_ old: TrustSet?, _ builtIn: [TrustAnchor]) -> Set<LedgerCertificateID> {
        let stored = (old?.authorities ?? []).compactMap(\.identifier)
        let withdrawn = Set((old?.withdrawn ?? []).map(\.identifier))
        return Set(stored).union(Self.identifiers(builtIn).subtracting(withdrawn))
    }

    private static func identifiers(_ anchors: [TrustAnchor]) -> Set<LedgerCertificateID> {
        Set(anchors.map { LedgerCertificateID(subject: $0.subject.der, keyIdentifier: $0.keyIdentifier) })
    }

    private mutating func addAuthorities(
        _ roots: [LedgerCertificateID], _ before: Set<LedgerCertificateID>, _ snapshot: LedgerSnapshot
    ) {
        // The clock of a machine that has just started may be years behind.
        let time = now >= ProductionAuthorities.date ? now : nil
        let stored = Dictionary(grouping: old?.authorities ?? [], by: \.identifier)
        var seen: Set<LedgerCertificateID> = []
        for root in roots where seen.insert(root).inserted {
            let found = check(root, snapshot) { certificate throws(LedgerCertificate.Fault) in
                try certificate.authority(now: time)
            }
            set.authorities += merge(
                found, stored[root] ?? [], Addition(identifier: root, isSigner: false), isNew: !before.contains(root))
        }
    }

    private mutating func addSigners(_ snapshot: LedgerSnapshot) {
        let stored = Dictionary(grouping: old?.signers ?? [], by: \.identifier)
        var seen: Set<LedgerCertificateID> = []
        for signer in snapshot.signers where seen.insert(signer).inserted {
            let found = check(signer, snapshot) { certificate throws(LedgerCertificate.Fault) in
                try certificate.declarationSigner()
            }
            let isBuiltIn = WellKnownKeys.declarationSigners.contains { $0.keyIdentifier == signer.keyIdentifier }
            set.signers += merge(
                found, stored[signer] ?? [], Addition(identifier: signer, isSigner: true), isNew: !isBuiltIn)
        }
    }

    /// The certificates of a key that count: those of the ledger, each with the time at which it was first seen; the stored
    /// ones if none of those passes.
    private mutating func merge(
        _ found: [TrustSet.Certificate], _ stored: [TrustSet.Certificate], _ key: Addition, isNew: Bool
    ) -> [TrustSet.Certificate] {
        guard !found.isEmpty else { return stored }
        if stored.isEmpty {
            if isNew { additions.append(key) }
        } else if Set(found.map(\.der)) != Set(stored.map(\.der)) {
            renewals.append(key)
        }
        return found.map { certificate in
            var certificate = certificate
            certificate.firstSeen = stored.first { $0.der == certificate.der }?.firstSeen ?? certificate.firstSeen
            return certificate
        }
    }

    /// The certificates under an identifier that pass; the others become refusals.
    private mutating func check(
        _ identifier: LedgerCertificateID, _ snapshot: LedgerSnapshot,
        _ check: (LedgerCertificate) throws(LedgerCertificate.Fault) -> AttestationCertificate
    ) -> [TrustSet.Certificate] {
        guard let certificates = snapshot.certificates[identifier] else { return [] }
        if certificates.isEmpty {
            refusals.append(Refusal(identifier: identifier, reason: "the ledger has no certificate for it"))
        }
        var found: [TrustSet.Certificate] = []
        for certificate in certificates {
            do {
                found.append(
                    TrustSet.Certificate(
                        keyIdentifier: identifier.keyIdentifier, der: try check(certificate).der,
                        vendorID: certificate.vendorID, firstSeen: now))
            } catch { refusals.append(Refusal(identifier: identifier, reason: error.reason)) }
        }
        return found
    }

    private mutating func withdraw(
        _ before: Set<LedgerCertificateID>, listed: Set<LedgerCertificateID>, revoked: Set<LedgerCertificateID>
    ) {
        let dates = Dictionary(
            (old?.withdrawn ?? []).map { ($0.identifier, $0.date) }, uniquingKeysWith: { min($0, $1) })
        let gone = before.union(revoked).union(dates.keys).subtracting(listed)
        set.withdrawn = gone.sorted { $0.keyIdentifier.lexicographicallyPrecedes($1.keyIdentifier) }.map {
            TrustSet.Withdrawal($0, isRevoked: revoked.contains($0), date: dates[$0] ?? now)
        }
        removals = set.withdrawn.filter { before.contains($0.identifier) }
    }

    private mutating func addReservations(_ before: Set<LedgerCertificateID>, _ builtIn: [TrustAnchor]) {
        let gone = Set(removals.map(\.identifier))
        let dropped = gone.intersection(Self.identifiers(builtIn)).count
        if dropped > 0 {
            reservations.append("it drops \(dropped) \(dropped == 1 ? "authority" : "authorities") of this program")
        }
        let left = Set(set.authorities.compactMap(\.identifier)).count
        if (before.count - left) * 100 > before.count * Self.largestLoss {
            reservations.append("it has \(left) authorities where there were \(before.count)")
        }
        let (points, known) = (set.points.count, old?.points.count ?? 0)
        if (known - points) * 100 > known * Self.largestLoss {
            reservations.append("it has \(points) revocation points where there were \(known)")
        }
    }
}
