public import MatterState

/// The trusted keys in the state directory: a set for each ledger, and what the user decided.
public struct TrustRecords: Sendable {
    package static let folder = "trust"

    private let state: StateDirectory

    /// The contents of a state directory.
    public init(_ state: StateDirectory) { self.state = state }

    private static func record(_ net: LedgerNet) -> String { "\(folder)/\(net.rawValue).jsonl" }
    private static func staging(_ net: LedgerNet) -> String { "\(folder)/staging-\(net.rawValue)" }
    private static let own = "\(folder)/own.json"

    // MARK: Sets

    /// The data fetched from a ledger; `nil` if nothing was.
    ///
    /// - Parameter warn: hears of a damaged set whose previous copy counts instead.
    /// - Throws: ``LedgerError`` with `damaged` if no copy can be read, or ``StoreError``.
    public func set(_ net: LedgerNet, warn: (LedgerError) -> Void = { _ in }) throws -> TrustSet? {
        try newest(net, warn, date: \.date) { contents throws(LedgerError) in try TrustSet(decoding: contents) }
    }

    /// The same for look-ups of single keys.
    package func stored(_ net: LedgerNet, warn: (LedgerError) -> Void) throws -> StoredTrust? {
        try newest(net, warn, date: \.date) { contents throws(LedgerError) in try StoredTrust(contents) }
    }

    /// The set or, if that is damaged or lost, the one before it: without it, authorities that the ledger has withdrawn
    /// would be trusted again.
    private func newest<Stored>(
        _ net: LedgerNet, _ warn: (LedgerError) -> Void, date: (Stored) -> Int64,
        _ decode: ([UInt8]) throws(LedgerError) -> Stored
    ) throws -> Stored? {
        let name = Self.record(net)
        var isLost = false
        do {
            if let contents = try state.read(name) { return try decode(contents) }
            isLost = true
        } catch let error as StoreError where error.code == .damaged {
        } catch is LedgerError {}
        let previous = try state.readPrevious(name)
        if isLost, previous == nil { return nil }
        guard let previous, let stored = try? decode(previous) else {
            throw Self.damaged(net, net == .main ? "only those of this program count" : "none of them counts")
        }
        warn(Self.damaged(net, "the previous list, of \(X509Time.text(date(stored)).prefix(10)), counts"))
        return stored
    }

    private static func damaged(_ net: LedgerNet, _ consequence: String) -> LedgerError {
        let ledger = net == .main ? "the ledger" : "the test ledger"
        return LedgerError(
            .damaged, "the stored authorities of \(ledger) are damaged; \(consequence)",
            hint: .step(net == .main ? "trust.update" : "trust.update-test"))
    }

    /// Replaces a set at once.
    package func save(_ set: TrustSet) throws { try state.write(Self.record(set.net), set.encoded()) }

    // MARK: Lists of revoked certificates

    private static func lists(_ net: LedgerNet) -> String { "\(folder)/lists-\(net.rawValue)" }

    private static func list(_ point: RevocationPoint.Key, _ net: LedgerNet) -> String {
        let name = "\(KeyIdentifierText.plain(point.issuerKeyIdentifier))-\(point.vendorID)-\(point.label)"
        // Without a suffix: a component may be as long as a file name can be.
        return "\(lists(net))/\(StateDirectory.component(for: name))"
    }

    /// The stored part of the list at a point; `nil` if nothing is, or if it cannot be read.
    package func list(_ point: RevocationPoint.Key, _ net: LedgerNet) -> StoredList? {
        guard let contents = try? state.read(Self.list(point, net)) else { return nil }
        let list = try? StoredList(contents)
        return list?.point == point ? list : nil
    }

    func save(_ list: StoredList, _ net: LedgerNet) throws {
        try state.write(Self.list(list.point, net), list.encoded, keepingPrevious: false)
    }

    /// Removes all lists but those of some points.
    func keepLists(of points: Set<RevocationPoint.Key>, _ net: LedgerNet) throws {
        let kept = Set(points.map { Self.list($0, net) })
        for name in try state.records(in: Self.lists(net)) where !kept.contains(name) { try state.delete(name) }
    }

    // MARK: Certificates of an update under way

    private static func staged(_ identifier: LedgerCertificateID, _ net: LedgerNet) -> String {
        "\(staging(net))/\(KeyIdentifierText.plain(identifier.keyIdentifier)).json"
    }

    /// The answer about a certificate that an update which was cut short has had.
    func staged(_ identifier: LedgerCertificateID, _ net: LedgerNet) throws -> JSONValue? {
        // It can be fetched again.
        guard let contents = try? state.read(Self.staged(identifier, net)) else { return nil }
        return try? JSONValue(parsing: contents)
    }

    func stage(_ answer: JSONValue, _ identifier: LedgerCertificateID, _ net: LedgerNet) throws {
        try state.write(Self.staged(identifier, net), answer.utf8(), keepingPrevious: false)
    }

    func clearStaging(_ net: LedgerNet) throws { try state.deleteFolder(Self.staging(net)) }

    // MARK: The user's own

    /// The authorities that the user trusts.
    ///
    /// - Throws: ``LedgerError`` if they cannot be read.
    public func ownTrust() throws -> OwnTrust {
        try state.read(Self.own).map { contents throws(LedgerError) in try OwnTrust(decoding: contents) } ?? OwnTrust()
    }

    /// Changes what the user decided.
    ///
    /// - Throws: ``LedgerError``, or ``StoreError`` if a file cannot be read or written.
    public func changeOwn(_ change: (inout OwnTrust) throws -> Void) async throws {
        try await state.withLock(Self.folder) {
            var own = try ownTrust()
            try change(&own)
            try state.write(Self.own, own.encoded())
        }
    }
}
