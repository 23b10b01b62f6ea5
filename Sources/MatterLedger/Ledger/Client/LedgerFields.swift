import FoundationEssentials
package import JSON

/// The members of an object of the ledger.
package typealias LedgerFields = JSONFields<LedgerError>

/// The ledger sends what is not set as `""`, 0 or false, older entries leave it out; 64-bit numbers are strings.
extension JSONFields where Failure == LedgerError {
    /// A text; `nil` if it is absent or blank.
    package func text(_ key: String) throws(LedgerError) -> String? {
        guard let text = try optionalString(key), text.contains(where: { !$0.isWhitespace }) else { return nil }
        return text
    }

    /// A number, or its digits; 0 if it is not set.
    package func number<T: FixedWidthInteger>(_ key: String, as type: T.Type = T.self) throws(LedgerError) -> T {
        guard self[key]?.stringValue != "" else { return 0 }
        return try optionalInteger(key) ?? 0
    }

    /// A number, or its digits; `nil` if it is not set.
    func positive<T: FixedWidthInteger>(_ key: String, as type: T.Type = T.self) throws(LedgerError) -> T? {
        let number: T = try number(key)
        return number == 0 ? nil : number
    }

    package func flag(_ key: String) throws(LedgerError) -> Bool {
        guard self[key]?.stringValue == nil else {
            switch self[key]?.stringValue {
            case "true": return true
            case "false", "": return false
            default: throw wrong(key, "true or false")
            }
        }
        return try optionalBool(key) ?? false
    }

    /// The DER of a name; empty if it is not set.
    package func name(_ key: String) throws(LedgerError) -> [UInt8] { try octets(key) }

    /// Octets in base64; none if they are not set.
    package func octets(_ key: String) throws(LedgerError) -> [UInt8] {
        guard let text = try text(key) else { return [] }
        guard let octets = Data(base64Encoded: text) else { throw wrong(key, "base64") }
        return Array(octets)
    }

    /// A key identifier, with colons or without; empty if it is not set.
    package func keyIdentifier(_ key: String) throws(LedgerError) -> [UInt8] {
        guard let text = try text(key) else { return [] }
        guard let octets = KeyIdentifierText.decode(text) else { throw wrong(key, "a key identifier") }
        return octets
    }

    /// The objects of an array; none if it is absent or null.
    package func entries(_ key: String) throws(LedgerError) -> [LedgerFields] { try objects(key) }
}

/// Key identifiers as people and the ledger write them.
public enum KeyIdentifierText {
    /// `0A:1B:…`.
    static func colons(_ octets: [UInt8]) -> String {
        octets.map { Hex.encode([$0], uppercase: true) }.joined(separator: ":")
    }

    /// `0A1B…`.
    public static func plain(_ octets: [UInt8]) -> String { Hex.encode(octets, uppercase: true) }

    /// Bytes in hexadecimal digits of either case, with colons between all of them or none.
    public static func decode(_ text: String) -> [UInt8]? {
        guard !text.contains(where: \.isWhitespace) else { return nil }
        guard text.contains(":") else { return try? Hex.decode(text) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        return try? Hex.decode(parts.joined())
    }
}
