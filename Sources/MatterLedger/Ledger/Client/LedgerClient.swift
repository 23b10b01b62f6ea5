package import JSON

/// Asks the Alliance's ledger over REST. Only GET, no account; its answers carry no proof but the TLS connection.
public struct LedgerClient: Sendable {
    /// Limits of one answer.
    package struct Limits: Sendable {
        package var pages: Int
        package var entries: Int
        /// The sum of all pages, bytes.
        package var bytes: Int
        /// The time of one page.
        package var time: Duration

        package init(
            pages: Int = 1000, entries: Int = 100_000, bytes: Int = 64 << 20, time: Duration = .seconds(15)
        ) {
            self.pages = pages
            self.entries = entries
            self.bytes = bytes
            self.time = time
        }
    }

    /// The longest page that is read, bytes.
    public static let largestBody = 8 << 20
    private static let pageSize = 500

    package let net: LedgerNet
    private let service: HTTPService
    private let limits: Limits
    private let deadline: ContinuousClock.Instant

    /// - Parameter deadline: the end of all that the client does.
    package init(
        _ net: LedgerNet, service: HTTPService, limits: Limits = Limits(), deadline: ContinuousClock.Instant
    ) {
        self.net = net
        self.service = service
        self.limits = limits
        self.deadline = deadline
    }

    /// Where the ledger is.
    package var url: BaseURL { service.url }

    package func close() async { await service.close() }

    /// The answer to a question.
    ///
    /// - Throws: ``LedgerError``, `notFound` if there is no such entry; or `CancellationError`.
    package func get<Answer>(_ query: LedgerQuery<Answer>) async throws -> Answer {
        try query.read(try await fetch(query))
    }

    /// The answer to a question; `nil` if there is no such entry.
    package func find<Answer>(_ query: LedgerQuery<Answer>) async throws -> Answer? {
        do { return try await get(query) } catch let error as LedgerError where error.code == .notFound { return nil }
    }

    /// The member of the answer that holds it, as it came; all pages of a list in one array.
    package func fetch<Answer>(_ query: LedgerQuery<Answer>) async throws -> JSONValue {
        guard query.isPaged else {
            let (answer, _) = try await page(query, [])
            guard let value = answer[query.key], !value.isNull else {
                throw LedgerError(.malformed, "the ledger's answer about \(query.subject) lacks '\(query.key)'")
            }
            return value
        }
        return .array(try await pages(query))
    }

    private func pages<Answer>(_ query: LedgerQuery<Answer>) async throws -> [JSONValue] {
        var entries: [JSONValue] = []
        var size = 0
        var next: String?
        var seen: Set<String> = []
        for _ in 0..<limits.pages {
            var items = [HTTPRequest.QueryItem("pagination.limit", String(Self.pageSize))]
            if let next { items.append(.init("pagination.key", next)) }
            let (answer, count) = try await page(query, items)
            size += count
            let part = answer[query.key]
            guard part == nil || part?.isNull == true || part?.arrayValue != nil else {
                throw LedgerError(.malformed, "the ledger's answer about \(query.subject) is not a list")
            }
            entries += part?.arrayValue ?? []
            guard entries.count <= limits.entries, size <= limits.bytes else { throw tooLarge(query.subject) }
            guard let key = answer["pagination"]?["next_key"]?.stringValue, !key.isEmpty else { return entries }
            guard seen.insert(key).inserted else {
                throw LedgerError(.malformed, "the ledger's pages about \(query.subject) have no end")
            }
            next = key
        }
        throw tooLarge(query.subject)
    }

    private func tooLarge(_ subject: String) -> LedgerError {
        LedgerError(.tooLarge, "the ledger's answer about \(subject) is too large")
    }

    /// All products of a vendor.
    package func products(of vendorID: UInt16) async throws -> ProductList {
        try ProductList(try await products(text: vendorID), of: vendorID)
    }

    /// The answer about the products of a vendor, as it came.
    func products(text vendorID: UInt16) async throws -> [UInt8] {
        try await response(ProductList.path(vendorID), [], ProductList.subject(vendorID)).body
    }

    private func response(
        _ path: String, _ items: [HTTPRequest.QueryItem], _ subject: String
    ) async throws -> HTTPResponse {
        let response: HTTPResponse
        do {
            response = try await service.send(
                HTTPRequest(.get, path, query: items), deadline: min(deadline, .now + limits.time))
        } catch let error as HTTPError {
            throw LedgerError(
                error.code == .tooLarge ? .tooLarge : .unreachable, "the ledger gave no answer: \(error.reason)",
                hint: error.hint, connection: error)
        }
        guard (200...299).contains(response.status) else { throw failure(response, subject) }
        return response
    }

    private func page<Answer>(
        _ query: LedgerQuery<Answer>, _ items: [HTTPRequest.QueryItem]
    ) async throws -> (JSONValue, bytes: Int) {
        let response = try await response(query.path, items, query.subject)
        do {
            let answer = try JSONValue(parsing: response.body)
            guard answer.objectValue != nil else { throw LedgerError(.notAnObject, in: query.subject) }
            return (answer, response.body.count)
        } catch let error as JSONError {
            throw LedgerError(
                .malformed, "the ledger's answer about \(query.subject) is not JSON: \(error.reason)",
                status: response.status)
        }
    }

    /// The gRPC number of NotFound.
    private static let notFoundNumber = 5

    private func failure(_ response: HTTPResponse, _ subject: String) -> LedgerError {
        // A proxy may answer in HTML; what is not the ledger's own form says nothing beyond its status.
        let body = try? JSONValue(parsing: response.body)
        let number: Int? = body?["code"]?.id()
        let words = body?["message"]?.stringValue.map { ": \($0.prefix(100))" } ?? ""
        let status = response.status
        switch (status, number ?? (body?.objectValue == nil ? nil : Self.notFoundNumber)) {
        case (404, Self.notFoundNumber?):
            return LedgerError(.notFound, "the ledger has no entry for \(subject)", status: status)
        case (429, _), (500, _), (502...599, _):
            return LedgerError(.failing, "the ledger cannot answer now (HTTP \(status)\(words))", status: status)
        default:
            return LedgerError(
                .refused, "the ledger refused the question about \(subject) (HTTP \(status)\(words))", status: status)
        }
    }
}
