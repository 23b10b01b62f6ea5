import MatterCrypto

/// Fetches the lists of revoked certificates of a set. Each is stored as it comes; a point that fails costs no other, and
/// its old list stays.
public struct RevocationUpdate: Sendable {
    /// How many lists are fetched at the same time.
    private static let breadth = 6

    /// The outcome of a point.
    public struct Outcome: Sendable {
        /// Where the list is.
        public var point: RevocationPoint
        /// As it is stored now.
        public var stored: StoredList
    }

    private let set: TrustSet
    private let records: TrustRecords
    private let now: Int64
    private let fetch: @Sendable (RevocationPoint) async throws -> [UInt8]

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - fetch: brings what is at the URL of a point.
    public init(
        _ set: TrustSet, records: TrustRecords, now: Int64,
        fetch: @escaping @Sendable (RevocationPoint) async throws -> [UInt8]
    ) {
        self.set = set
        self.records = records
        self.now = now
        self.fetch = fetch
    }

    /// - Returns: the outcomes in the order of the points.
    /// - Throws: ``StoreError`` or `CancellationError`.
    public func run() async throws -> [Outcome] {
        var seen: Set<RevocationPoint.Key> = []
        let points = set.points.filter { seen.insert($0.key).inserted }
        try records.keepLists(of: seen, set.net)
        let outcomes = try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            var rest = Array(points.enumerated())[...]
            var found: [Int: Outcome] = [:]
            func next() {
                guard let (index, point) = rest.popFirst() else { return }
                group.addTask { (index, try await update(point)) }
            }
            for _ in 0..<Self.breadth { next() }
            while let (index, outcome) = try await group.next() {
                found[index] = outcome
                next()
            }
            return found
        }
        return outcomes.sorted { $0.key < $1.key }.map(\.value)
    }

    private func update(_ point: RevocationPoint) async throws -> Outcome {
        var stored = StoredList(point)
        stored.isForeign = !point.isFounded(set.authorities)
        stored.contents = records.list(point.key, set.net)?.contents
        do {
            let data: [UInt8]
            do { data = try await fetch(point) } catch let error as any CodedError {
                throw RevocationFault(error.message)
            }
            let isShared =
                set.points.count {
                    $0.issuerKeyIdentifier == point.issuerKeyIdentifier && $0.vendorID == point.vendorID
                        && $0.isFounded(set.authorities)
                } > 1
            let new = try point.list(data, roots: set.authorities, isShared: isShared, now: now)
            if let old = stored.contents, new.isOlder(than: old) {
                throw RevocationFault("the list is older than the stored one")
            }
            stored.contents = new
        } catch let fault as RevocationFault {
            stored.fault = fault.reason
        }
        try records.save(stored, set.net)
        return Outcome(point: point, stored: stored)
    }
}
