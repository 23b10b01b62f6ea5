import MatterLedger

/// The ledger's word on a software version of a product.
struct LedgerStanding: Sendable {
    /// An entry that was looked up.
    enum Entry<Value: Sendable>: Sendable {
        case found(Value)
        case absent
        /// The ledger could not be asked; the reason says why.
        case unknown(String)
    }

    var vendorID: UInt16
    var productID: UInt16
    /// The version that was asked about; `nil` if none is known.
    var version: UInt32?
    var model = Entry<LedgerModel>.absent
    /// Of the version.
    var compliance = Entry<LedgerCompliance>.absent
}

/// Asks the ledger about products, each once a day, and not again after it could not be reached.
public actor LedgerInquiry {
    private let cache: LedgerCache
    private let client: LedgerClient
    private let now: Int64
    /// Why the ledger cannot be asked.
    private var fault: String?
    /// One question at a time: devices of a run are of one product, mostly, and the first answer is that for all.
    private let turns = CheckTurns()

    /// - Parameter now: in seconds since 1970.
    public init(_ cache: LedgerCache, _ client: LedgerClient, now: Int64) {
        (self.cache, self.client, self.now) = (cache, client, now)
    }

    /// - Throws: `CancellationError`.
    func standing(of vendorID: UInt16, _ productID: UInt16, version: UInt32?) async throws -> LedgerStanding {
        try await turns.take(isAlone: true)
        defer { turns.give(isAlone: true) }
        var standing = LedgerStanding(vendorID: vendorID, productID: productID, version: version)
        standing.model = try await entry(.model(vendorID, productID))
        if let version { standing.compliance = try await entry(.compliance(vendorID, productID, version)) }
        return standing
    }

    private func entry<Answer>(_ query: LedgerQuery<Answer>) async throws -> LedgerStanding.Entry<Answer> {
        if let fault {
            // An older answer is better than none.
            guard let known = cache.known(query) else { return .unknown(fault) }
            return known.answer.map { .found($0) } ?? .absent
        }
        do {
            let answer = try await cache.answer(query, from: client, refresh: false, now: now)
            if let old = answer.fault { fault = old.reason }
            return answer.answer.map { .found($0) } ?? .absent
        } catch {
            try Task.checkCancellation()
            let error = MatterError(error)
            fault = error.message
            return .unknown(error.message)
        }
    }
}
