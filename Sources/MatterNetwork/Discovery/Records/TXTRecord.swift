/// The key-value pairs of a DNS-SD TXT record (RFC 6763 section 6).
package struct TXTRecord: Hashable, Sendable {
    /// One string of the record.
    package struct Entry: Hashable, Sendable {
        /// As it was spelt; keys compare without regard to case.
        package let key: String
        /// The bytes after the `=`; `nil` where there is none.
        package let value: [UInt8]?
    }

    /// In the order of the record; of keys that occur twice only the first.
    package let entries: [Entry]

    /// A record without entries.
    package static let empty = TXTRecord(entries: [])

    private init(entries: [Entry]) { self.entries = entries }

    /// Reads the data of a TXT record: strings of up to 255 bytes, each after its length.
    ///
    /// Strings that are no key-value pair, and repeated keys, are skipped as RFC 6763 section 6.4 asks.
    ///
    /// - Throws: `malformedRecord` where a string is longer than the data.
    package init(decoding data: [UInt8]) throws(DiscoveryError) {
        var entries: [Entry] = []
        var seen: Set<String> = []
        var rest = data[...]
        while let length = rest.popFirst() {
            guard rest.count >= Int(length) else {
                throw DiscoveryError(
                    .malformedRecord, "a TXT string of \(length) bytes ends after \(rest.count)")
            }
            let text = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            guard let entry = Self.entry(text), seen.insert(entry.key.lowercased()).inserted else { continue }
            entries.append(entry)
        }
        self.entries = entries
    }

    /// A record of text values, for advertising.
    ///
    /// - Throws: `malformedRecord` for a key that is empty or not printable ASCII, or a pair longer than 255 bytes.
    package init(_ pairs: [(key: String, value: String)]) throws(DiscoveryError) {
        var entries: [Entry] = []
        for (key, value) in pairs {
            let text = Array("\(key)=\(value)".utf8)
            guard text.count <= UInt8.max, let entry = Self.entry(text[...]), entry.key == key else {
                throw DiscoveryError(.malformedRecord, "'\(key)' and its value do not fit into a TXT record")
            }
            entries.append(entry)
        }
        self.entries = entries
    }

    private static func entry(_ text: ArraySlice<UInt8>) -> Entry? {
        let equals = text.firstIndex(of: UInt8(ascii: "="))
        let key = text[..<(equals ?? text.endIndex)]
        guard !key.isEmpty, key.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return Entry(
            key: String(decoding: key, as: UTF8.self),
            value: equals.map { Array(text[text.index(after: $0)...]) })
    }

    /// The data of the record as DNS carries it.
    package var encoded: [UInt8] {
        entries.flatMap { entry -> [UInt8] in
            let text = Array(entry.key.utf8) + (entry.value.map { [UInt8(ascii: "=")] + $0 } ?? [])
            return [UInt8(truncatingIfNeeded: text.count)] + text
        }
    }

    /// The value of a key; `nil` where the key is absent or has none.
    package subscript(key: String) -> [UInt8]? {
        let wanted = key.lowercased()
        return entries.first { $0.key.lowercased() == wanted }?.value
    }

    /// A value as text; `nil` unless it is UTF-8 of at most that many bytes.
    func text(_ key: String, limit: Int) -> String? {
        self[key].flatMap { $0.count <= limit ? String(validating: $0, as: UTF8.self) : nil }
    }

    /// A value as a decimal number without sign and without leading zeros; `nil` unless it is one in the range.
    func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ key: String, in range: ClosedRange<Number> = 0...Number.max
    ) -> Number? {
        self[key].flatMap { Self.decimal($0[...], in: range) }
    }

    static func decimal<Number: FixedWidthInteger & UnsignedInteger>(
        _ digits: ArraySlice<UInt8>, in range: ClosedRange<Number> = 0...Number.max
    ) -> Number? {
        let isDecimal = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDecimal, let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1,
            let number = Number(String(decoding: digits, as: UTF8.self)), range.contains(number)
        else { return nil }
        return number
    }
}
