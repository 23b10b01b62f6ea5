import FoundationEssentials
package import JSON

/// A question to the ledger, and how its answer is read.
public struct LedgerQuery<Answer: Sendable>: Sendable {
    /// Below the base URL, percent-encoded.
    package let path: String
    /// The member of the answer that holds it.
    package let key: String
    /// Whether the member is an array that comes in pages.
    let isPaged: Bool
    /// Its subject, for errors.
    public let subject: String
    private let reader: @Sendable (JSONValue, String) throws(LedgerError) -> Answer

    init(
        _ path: String, _ key: String, isPaged: Bool = false, about subject: String,
        _ reader: @escaping @Sendable (JSONValue, String) throws(LedgerError) -> Answer
    ) {
        self.path = path
        self.key = key
        self.isPaged = isPaged
        self.subject = subject
        self.reader = reader
    }

    /// Reads the value of ``key``.
    package func read(_ value: JSONValue) throws(LedgerError) -> Answer { try reader(value, subject) }

    /// One object.
    static func one(
        _ path: String, _ key: String, about subject: String,
        _ read: @escaping @Sendable (LedgerFields) throws(LedgerError) -> Answer
    ) -> LedgerQuery {
        LedgerQuery(path, key, about: subject) { value, subject throws(LedgerError) in
            try read(LedgerFields(value, subject))
        }
    }

    /// An array in pages.
    static func list<Item: Sendable>(
        _ path: String, _ key: String, about subject: String,
        _ read: @escaping @Sendable (LedgerFields) throws(LedgerError) -> Item
    ) -> LedgerQuery where Answer == [Item] {
        LedgerQuery(path, key, isPaged: true, about: subject) { value, subject throws(LedgerError) in
            guard let values = value.arrayValue else {
                throw LedgerError(.malformed, "the ledger's answer about \(subject) is not a list")
            }
            var items: [Item] = []
            for value in values { items.append(try read(LedgerFields(value, subject))) }
            return items
        }
    }

    static func escaped(_ text: String) -> String { PercentEncoding.encode(text) }

    static func encoded(_ identifier: LedgerCertificateID) -> String {
        PercentEncoding.encode(Data(identifier.subject).base64EncodedString()) + "/"
            + PercentEncoding.encode(KeyIdentifierText.colons(identifier.keyIdentifier))
    }
}
