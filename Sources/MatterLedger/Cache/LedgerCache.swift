import JSON
package import MatterStore

/// An answer of the ledger, and when it came.
package struct DatedAnswer<Answer: Sendable>: Sendable {
    /// `nil` if the ledger has no such entry.
    package var answer: Answer?
    /// In seconds since 1970.
    package var date: Int64
    /// Why a newer answer could not be had.
    package var fault: LedgerError?
}

/// Answers of the ledger in the state directory, with their dates. They can be fetched again at any time.
package struct LedgerCache: Sendable {
    package static let folder = "ledger"
    /// The age up to which the ledger need not be asked again, seconds.
    package static let freshness: Int64 = 86_400

    private let state: StateDirectory
    private let net: LedgerNet

    package init(_ state: StateDirectory, _ net: LedgerNet) {
        self.state = state
        self.net = net
    }

    private func record<Answer>(_ query: LedgerQuery<Answer>) -> String {
        let name = query.path.dropFirst("/dcl/".count).split(separator: "/").joined(separator: "-")
        // Without a suffix: a component may be as long as a file name can be.
        return "\(Self.folder)/\(net.rawValue)/\(StateDirectory.component(for: name))"
    }

    /// What is known of the answer to a question; `nil` if it was never asked.
    package func known<Answer>(_ query: LedgerQuery<Answer>) -> DatedAnswer<Answer>? {
        // What cannot be read is asked again.
        guard let contents = try? state.read(record(query)), let value = try? JSONValue(parsing: contents),
            let date: Int64 = value["date"]?.id()
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
    package func answer<Answer>(
        _ query: LedgerQuery<Answer>, from client: LedgerClient, refresh: Bool, now: Int64
    ) async throws -> DatedAnswer<Answer> {
        let known = known(query)
        if let known, !refresh, (0..<Self.freshness).contains(now &- known.date) { return known }
        do {
            let value = try await client.fetch(query)
            let answer = try query.read(value)
            try keep(query, value, date: now)
            return DatedAnswer(answer: answer, date: now)
        } catch let error as LedgerError {
            if error.code == .notFound {
                try keep(query, .null, date: now)
                return DatedAnswer(answer: nil, date: now)
            }
            guard var known, error.isTransient, !refresh else { throw error }
            known.fault = error
            return known
        }
    }
}
