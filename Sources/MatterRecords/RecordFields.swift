package import JSON

/// Reads the members of a record; every fault names the record and the member.
package struct RecordFields: Sendable {
    private let object: JSONObject
    private let name: String

    package init(_ contents: [UInt8], _ name: String) throws(RecordError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: contents)
        } catch {
            throw RecordError(.invalid, "\(name) is not valid JSON: \(error)")
        }
        try self.init(value, name)
    }

    package init(_ value: JSONValue, _ name: String) throws(RecordError) {
        guard let object = value.objectValue else { throw RecordError(.invalid, "\(name) is not a JSON object") }
        self.object = object
        self.name = name
    }

    package func optionalString(_ key: String) throws(RecordError) -> String? {
        guard let value = present(key) else { return nil }
        guard let text = value.stringValue else { throw wrong(key, "a string") }
        return text
    }

    package func string(_ key: String) throws(RecordError) -> String {
        guard let text = try optionalString(key) else { throw missing(key) }
        return text
    }

    package func optionalInteger<T: FixedWidthInteger>(
        _ key: String, as type: T.Type = T.self
    ) throws(RecordError) -> T? {
        guard let value = present(key) else { return nil }
        guard let number = value.id(as: type) else { throw wrong(key, "an integer of \(T.bitWidth) bits") }
        return number
    }

    package func integer<T: FixedWidthInteger>(_ key: String, as type: T.Type = T.self) throws(RecordError) -> T {
        guard let number = try optionalInteger(key, as: type) else { throw missing(key) }
        return number
    }

    package func optionalOctets(_ key: String) throws(RecordError) -> [UInt8]? {
        guard let text = try optionalString(key) else { return nil }
        do {
            return try Hex.decode(text)
        } catch {
            throw wrong(key, "a string of hexadecimal digits")
        }
    }

    package func octets(_ key: String) throws(RecordError) -> [UInt8] {
        guard let octets = try optionalOctets(key) else { throw missing(key) }
        return octets
    }

    package func bool(_ key: String, default fallback: Bool) throws(RecordError) -> Bool {
        guard let value = present(key) else { return fallback }
        guard let flag = value.boolValue else { throw wrong(key, "true or false") }
        return flag
    }

    package func optionalObject(_ key: String) throws(RecordError) -> RecordFields? {
        guard let value = present(key) else { return nil }
        guard value.objectValue != nil else { throw wrong(key, "an object") }
        return try RecordFields(value, "'\(key)' in \(name)")
    }

    package func array(_ key: String) throws(RecordError) -> [JSONValue] {
        guard let value = present(key) else { return [] }
        guard let array = value.arrayValue else { throw wrong(key, "an array") }
        return array
    }

    private func present(_ key: String) -> JSONValue? {
        guard let value = object[key], !value.isNull else { return nil }
        return value
    }

    private func missing(_ key: String) -> RecordError { RecordError(.invalid, "\(name) lacks '\(key)'") }

    private func wrong(_ key: String, _ expected: String) -> RecordError {
        RecordError(.invalid, "'\(key)' in \(name) is not \(expected)")
    }
}
