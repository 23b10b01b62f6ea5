import MatterCrypto

/// Brings authorities, declaration signers and revocation points from the ledger. Nothing counts before ``save(_:)``.
public struct TrustUpdate: Sendable {
    /// How many certificates are asked for at the same time.
    private static let breadth = 6

    private let client: LedgerClient
    private let records: TrustRecords
    private let now: Int64
    /// Hears of each certificate that has come: how many there are, and how many are wanted.
    private let progress: @Sendable (Int, Int) -> Void

    /// - Parameter now: seconds since 1970.
    public init(
        client: LedgerClient, records: TrustRecords, now: Int64,
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) {
        self.client = client
        self.records = records
        self.now = now
        self.progress = progress
    }

    /// Asks the ledger, and says what would change. Certificates that have come are kept for the next attempt.
    ///
    /// - Throws: ``LedgerError`` or ``StoreError``; the stored set is as before.
    public func plan() async throws -> TrustPlan {
        // One that cannot be read is made again.
        let old = try? records.set(client.net)
        let snapshot = try await snapshot()
        return try TrustPlan(
            old: old, snapshot: snapshot, builtIn: client.net == .main ? ProductionAuthorities.all : [], now: now)
    }

    /// Puts the new set in the place of the old one.
    ///
    /// - Throws: ``LedgerError``, or ``StoreError`` if a file cannot be read or written.
    public func save(_ plan: TrustPlan) throws {
        try records.save(plan.set)
        try records.clearStaging(client.net)
    }

    private func snapshot() async throws -> LedgerSnapshot {
        var snapshot = LedgerSnapshot(net: client.net, origin: "\(client.url)")
        snapshot.roots = try await client.get(.rootCertificates)
        snapshot.revokedRoots = try await client.find(.revokedRootCertificates) ?? []
        if client.net == .main, let root = LedgerCertificateID.declarationRoot {
            snapshot.signers = try await client.find(.childCertificates(of: root)) ?? []
        }
        let points = try await client.find(.revocationPoints) ?? RevocationPoints()
        snapshot.points = points.points
        snapshot.pointFaults = points.faults
        // Also those that are stored: one that was issued again has the old subject and key.
        let wanted = Set(snapshot.roots + snapshot.signers).filter { !$0.isDeclarationRoot }
        snapshot.certificates = try await certificates(Array(wanted))
        return snapshot
    }

    private func certificates(
        _ wanted: [LedgerCertificateID]
    ) async throws -> [LedgerCertificateID: [LedgerCertificate]] {
        try await withThrowingTaskGroup(of: (LedgerCertificateID, [LedgerCertificate]).self) { group in
            var rest = wanted[...]
            var found: [LedgerCertificateID: [LedgerCertificate]] = [:]
            func next() {
                guard let identifier = rest.popFirst() else { return }
                group.addTask { (identifier, try await certificates(identifier)) }
            }
            for _ in 0..<Self.breadth { next() }
            while let (identifier, certificates) = try await group.next() {
                found[identifier] = certificates
                progress(found.count, wanted.count)
                next()
            }
            return found
        }
    }

    private func certificates(_ identifier: LedgerCertificateID) async throws -> [LedgerCertificate] {
        let query: LedgerQuery<[LedgerCertificate]> = .certificates(identifier)
        if let kept = try records.staged(identifier, client.net), let read = try? query.read(kept) { return read }
        let answer: JSONValue
        do { answer = try await client.fetch(query) } catch let error as LedgerError where error.code == .notFound {
            return []
        }
        let read = try query.read(answer)
        try records.stage(answer, identifier, client.net)
        return read
    }
}
