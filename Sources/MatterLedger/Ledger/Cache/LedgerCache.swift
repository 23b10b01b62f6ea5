public import MatterState

/// An answer of the ledger, and when it came.
public struct DatedAnswer<Answer: Sendable>: Sendable {
    /// `nil` if the ledger has no such entry.
    public var answer: Answer?
    /// In seconds since 1970.
    public var date: Int64
    /// Why a newer answer could not be had.
    public var fault: LedgerError?
}

/// Answers of the ledger in the state directory, with their dates. They can be fetched again at any time.
public struct LedgerCache: Sendable {
    package static let folder = "ledger"
    /// The age up to which the ledger need not be asked again, seconds.
    package static let freshness: Int64 = 86_400

    private let state: StateDirectory
    private let net: LedgerNet

    /// The answers of one ledger that are kept in a state directory.
    public init(_ state: StateDirectory, _ net: LedgerNet) {
        self.state = state
        self.net = net
    }

    private func record<Answer>(_ query: LedgerQuery<Answer>) -> String { record(query.path) }

    private func record(_ path: String) -> String {
        let name = path.dropFirst("/dcl/".count).split(separator: "/").joined(separator: "-")
        // Without a suffix: a component may be as long as a file name can be.
        return "\(Self.folder)/\(net.rawValue)/\(StateDirectory.component(for: name))"
    }

    /// The facts about the answer to a question; `nil` if it was never asked.
    public func known<Answer>(_ query: LedgerQuery<Answer>) -> DatedAnswer<Answer>? {
        // Unreadable state is asked again.
        guard let contents = try? state.read(record(query)), let value = try? JSONValue(parsing: contents),
            let date: Int64 = value["date"]?.id(), UnixTime.range.contains(date)
        else { return nil }
        guard let answer = value["answer"], !answer.isNull else { return DatedAnswer(answer: nil, date: date) }
        guard let read = try? query.read(answer) else { return nil }
        return DatedAnswer(answer: read, date: date)
    }

    private func keep<Answer>(_ query: LedgerQuery<Answer>, _ answer: JSONValue, date: Int64) throws {
        let record: JSONObject = ["date": .int(date), "answer": answer]
        try state.write(self.record(query), JSONValue.object(record).utf8(), keepingPrevious: false)
    }

    /// The answer from the cache or, if that is too old, from the ledger. If the ledger has none to give, an old answer
    /// counts, with the reason.
    ///
    /// - Parameters:
    ///   - refresh: asks the ledger in any case.
    ///   - now: seconds since 1970.
    /// - Throws: ``LedgerError`` if there is no answer at all.
    public func answer<Answer>(
        _ query: LedgerQuery<Answer>, from client: LedgerClient, refresh: Bool, now: Int64
    ) async throws -> DatedAnswer<Answer> {
        try await answer(known(query), refresh, now) {
            let value = try await client.fetch(query)
            let answer = try query.read(value)
            try keep(query, value, date: now)
            return answer
        } keepNothing: {
            try keep(query, .null, date: now)
        }
    }

    /// The same for all products of a vendor, of which only the text is held.
    ///
    /// - Parameter now: in seconds since 1970.
    /// - Throws: ``LedgerError``, or ``StoreError`` if a file cannot be read or written.
    public func products(
        of vendorID: UInt16, from client: LedgerClient, refresh: Bool, now: Int64
    ) async throws -> DatedAnswer<ProductList> {
        let file = record(ProductList.path(vendorID))
        return try await answer(knownProducts(vendorID, file), refresh, now) {
            let text = try await client.products(text: vendorID)
            let list = try ProductList(text, of: vendorID)
            let record = Array("\(Self.dateKey)\(now),\"\(ProductList.key)\":".utf8) + text + [UInt8(ascii: "}")]
            try state.write(file, record, keepingPrevious: false)
            return list
        } keepNothing: {
            try state.write(file, Array("\(Self.dateKey)\(now)}".utf8), keepingPrevious: false)
        }
    }

    private static let dateKey = #"{"date":"#

    private func knownProducts(_ vendorID: UInt16, _ file: String) -> DatedAnswer<ProductList>? {
        guard let contents = try? state.read(file), contents.starts(with: Self.dateKey.utf8) else { return nil }
        let rest = contents.dropFirst(Self.dateKey.utf8.count)
        let digits = rest.prefix { 0x30...0x39 ~= $0 }
        guard let date = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
        guard rest.dropFirst(digits.count).first == UInt8(ascii: ",") else {
            return DatedAnswer(answer: nil, date: date)
        }
        guard let list = try? ProductList(contents, of: vendorID, isCached: true) else { return nil }
        return DatedAnswer(answer: list, date: date)
    }

    private func answer<Answer>(
        _ known: DatedAnswer<Answer>?, _ refresh: Bool, _ now: Int64, fetch: () async throws -> Answer,
        keepNothing: () throws -> Void
    ) async throws -> DatedAnswer<Answer> {
        if let known, !refresh, (0..<Self.freshness).contains(now &- known.date) { return known }
        do {
            return DatedAnswer(answer: try await fetch(), date: now)
        } catch let error as LedgerError {
            if error.code == .notFound {
                try keepNothing()
                return DatedAnswer(answer: nil, date: now)
            }
            guard var known, error.isTransient, !refresh else { throw error }
            known.fault = error
            return known
        }
    }
}
