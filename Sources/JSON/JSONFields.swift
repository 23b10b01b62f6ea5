/// The fault of a member that a ``JSONFields`` was asked for.
public enum JSONFieldFault: Equatable, Sendable {
    /// The whole is no object.
    case notAnObject
    /// The member is absent, null or empty.
    case missing(String)
    /// The member is something else: its path, and the expectation in words.
    case wrong(String, String)
}

/// A module's error that can speak of a ``JSONFieldFault``.
public protocol JSONFieldFailure: Error {
    /// - Parameter name: the document that was read.
    init(_ fault: JSONFieldFault, in name: String)
}

/// Reads the members of an object; every fault names the document and the member. Null counts as absent.
public struct JSONFields<Failure: JSONFieldFailure>: Sendable {
    package let object: JSONObject
    /// The document, for errors.
    package let name: String
    /// The path of the object in the document, with a dot at its end.
    private let place: String

    package init(_ object: JSONObject, _ name: String) {
        self.init(object, name, place: "")
    }

    package init(_ value: JSONValue, _ name: String) throws(Failure) {
        guard let object = value.objectValue else { throw Failure(.notAnObject, in: name) }
        self.init(object, name)
    }

    private init(_ object: JSONObject, _ name: String, place: String) {
        self.object = object
        self.name = name
        self.place = place
    }

    package subscript(key: String) -> JSONValue? {
        guard let value = object[key], !value.isNull else { return nil }
        return value
    }

    // MARK: Texts

    package func optionalString(_ key: String) throws(Failure) -> String? {
        try member(key, "a string", \.stringValue)
    }

    package func string(_ key: String) throws(Failure) -> String { try required(key, try optionalString(key)) }

    /// A string that is not empty.
    package func nonEmptyString(_ key: String) throws(Failure) -> String {
        try required(key, try optionalString(key).flatMap { $0.isEmpty ? nil : $0 })
    }

    package func strings(_ key: String) throws(Failure) -> [String] {
        let strings = try array(key).map(\.stringValue)
        guard !strings.contains(nil) else { throw wrong(key, "an array of strings") }
        return strings.compactMap { $0 }
    }

    /// Bytes as hexadecimal digits.
    package func optionalOctets(_ key: String) throws(Failure) -> [UInt8]? {
        guard let text = try optionalString(key) else { return nil }
        guard let octets = try? Hex.decode(text) else { throw wrong(key, "a string of hexadecimal digits") }
        return octets
    }

    package func octets(_ key: String) throws(Failure) -> [UInt8] { try required(key, try optionalOctets(key)) }

    /// A number as exactly `digits` hexadecimal digits of either case; `nil` if it is absent or empty.
    package func optionalHex(_ key: String, digits: Int) throws(Failure) -> UInt64? {
        guard let text = try optionalString(key), !text.isEmpty else { return nil }
        guard let number = Hex.number(text, digits: digits) else { throw wrong(key, "\(digits) hexadecimal digits") }
        return number
    }

    package func hex(_ key: String, digits: Int) throws(Failure) -> UInt64 {
        try required(key, try optionalHex(key, digits: digits))
    }

    // MARK: Numbers and flags

    /// A number, or its decimal digits as a string (see ``JSONValue/id(_:)``).
    package func optionalInteger<T: FixedWidthInteger>(
        _ key: String, as type: T.Type = T.self
    ) throws(Failure) -> T? {
        try member(key, "an integer of \(T.bitWidth) bits") { $0.id(as: type) }
    }

    package func integer<T: FixedWidthInteger>(_ key: String, as type: T.Type = T.self) throws(Failure) -> T {
        try required(key, try optionalInteger(key, as: type))
    }

    /// A time in seconds since 1970, before the year 10000: calculations with it cannot overflow.
    package func optionalTime(_ key: String) throws(Failure) -> Int64? {
        try member(key, "a time in seconds since 1970") { value in
            value.id(as: Int64.self).flatMap(UnixTime.plausible)
        }
    }

    package func time(_ key: String) throws(Failure) -> Int64 { try required(key, try optionalTime(key)) }

    package func optionalBool(_ key: String) throws(Failure) -> Bool? {
        try member(key, "true or false", \.boolValue)
    }

    // MARK: Collections

    package func optionalObject(_ key: String) throws(Failure) -> JSONFields? {
        guard let object = try member(key, "an object", \.objectValue) else { return nil }
        return JSONFields(object, name, place: "\(place)\(key).")
    }

    func optionalArray(_ key: String) throws(Failure) -> [JSONValue]? {
        try member(key, "an array", \.arrayValue)
    }

    /// The items of an array; none if it is absent.
    package func array(_ key: String) throws(Failure) -> [JSONValue] { try optionalArray(key) ?? [] }

    package func requiredArray(_ key: String) throws(Failure) -> [JSONValue] {
        try required(key, try optionalArray(key))
    }

    /// The objects of an array; none if it is absent.
    package func objects(_ key: String) throws(Failure) -> [JSONFields] {
        var objects: [JSONFields] = []
        for (index, value) in try array(key).enumerated() {
            guard let object = value.objectValue else { throw wrong("\(key)[\(index)]", "an object") }
            objects.append(JSONFields(object, name, place: "\(place)\(key)[\(index)]."))
        }
        return objects
    }

    // MARK: Faults

    /// The error for a member that is there and cannot be used.
    package func wrong(_ key: String, _ expected: String) -> Failure {
        Failure(.wrong(place + key, expected), in: name)
    }

    private func member<T>(_ key: String, _ expected: String, _ read: (JSONValue) -> T?) throws(Failure) -> T? {
        guard let value = self[key] else { return nil }
        guard let member = read(value) else { throw wrong(key, expected) }
        return member
    }

    private func required<T>(_ key: String, _ value: T?) throws(Failure) -> T {
        guard let value else { throw Failure(.missing(place + key), in: name) }
        return value
    }
}
