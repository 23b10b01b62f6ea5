import JSON

/// All products of a vendor, as the ledger sent them. There may be many: only the text is held, and read again for each use.
public struct ProductList: Sendable {
    /// The name under which the cache keeps the ledger's answer.
    static let key = "page"

    private let text: [UInt8]
    private let path: [String]
    private let subject: String

    /// - Parameters:
    ///   - text: the answer of the ledger, or what the cache has of it.
    ///   - isCached: whether the answer is in a record of the cache.
    package init(_ text: [UInt8], of vendorID: UInt16, isCached: Bool = false) throws(LedgerError) {
        self.text = text
        path = (isCached ? [Self.key] : []) + ["vendorProducts", "products"]
        subject = Self.subject(vendorID)
        try forEach { _ in }
    }

    static func path(_ vendorID: UInt16) -> String { "/dcl/model/models/\(vendorID)" }

    static func subject(_ vendorID: UInt16) -> String { "the products of vendor \(vendorID)" }

    /// Hands over one product after the other.
    ///
    /// - Throws: ``LedgerError`` `malformed`.
    public func forEach(_ body: (LedgerProduct) -> Void) throws(LedgerError) {
        let found: Int
        do {
            found = try JSONValue.forEachElement(at: path, in: text, limits: Self.limits) { value in
                body(try LedgerProduct(try LedgerFields(value, subject)))
            }
        } catch let error as LedgerError {
            throw error
        } catch {
            let reason = (error as? JSONError)?.reason ?? "\(error)"
            throw LedgerError(.malformed, "the ledger's answer about \(subject) is not JSON: \(reason)")
        }
        guard found >= path.count - 1 else {
            throw LedgerError(.malformed, "the ledger's answer about \(subject) lacks 'vendorProducts'")
        }
    }

    /// As many values as the longest answer can have.
    private static let limits = JSONLimits(values: LedgerClient.largestBody, octets: LedgerClient.largestBody + 64)
}
