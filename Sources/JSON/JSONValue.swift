/// A JSON value. Integers are exact over the whole signed and unsigned 64-bit range; objects keep their order (RFC
/// 8259).
///
/// The parser makes ``int(_:)`` of every integer that fits and ``uint(_:)`` of larger ones; two integers are equal
/// when they are the same number.
public enum JSONValue: Sendable {
    /// Null.
    case null
    /// A Boolean.
    case bool(Bool)
    /// A whole number, which may be negative.
    case int(Int64)
    /// A whole number that is not negative.
    case uint(UInt64)
    /// A number with a fraction.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// The largest number that every JSON reader keeps exactly: 2^53.
    static let largestExactInteger: UInt64 = 1 << 53

    /// A 64-bit id: a number up to 2^53, a decimal string above.
    public static func id(_ number: UInt64) -> JSONValue {
        number <= largestExactInteger ? .uint(number) : .string(String(number))
    }

    /// A signed 64-bit number, a decimal string where its magnitude exceeds 2^53.
    package static func id(signed number: Int64) -> JSONValue {
        number.magnitude <= largestExactInteger ? .int(number) : .string(String(number))
    }
}

// MARK: - Looking inside

extension JSONValue {
    /// The member of an object; `nil` for everything else.
    package subscript(key: String) -> JSONValue? {
        objectValue?[key]
    }

    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    package var boolValue: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    package var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var arrayValue: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The value as an object; `nil` if it is none.
    public var objectValue: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// An integer that fits the type; a fraction, a string or a number out of range gives `nil`.
    package func integer<T: FixedWidthInteger>(as type: T.Type = T.self) -> T? {
        switch self {
        case .int(let number): T(exactly: number)
        case .uint(let number): T(exactly: number)
        default: nil
        }
    }

    /// An integer written as a number or as a decimal string, the counterpart of ``id(_:)``.
    package func id<T: FixedWidthInteger>(as type: T.Type = T.self) -> T? {
        if case .string(let text) = self, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2D }) {
            return T(text)
        }
        return integer(as: type)
    }

    /// Any number, or one of the texts `nan`, `inf` and `-inf` that the serializer writes for non-finite ones.
    package var doubleValue: Double? {
        switch self {
        case .double(let number): number
        case .int(let number): Double(number)
        case .uint(let number): Double(number)
        case .string("nan"): .nan
        case .string("inf"): .infinity
        case .string("-inf"): -.infinity
        default: nil
        }
    }
}

// MARK: - Text

extension DefaultStringInterpolation {
    /// The name of a case is no text for anybody: ``JSONValue/serialized()`` makes JSON text of a value, and a value that
    /// people read is made into words first.
    @available(*, unavailable, message: "take the value itself, or its serialized text")
    mutating func appendInterpolation(_ value: JSONValue) {}
}

// MARK: - Equality by number

extension JSONValue: Hashable {
    /// Whether both mean the same.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.uint(let left), .uint(let right)): left == right
        case (.int(let signed), .uint(let unsigned)), (.uint(let unsigned), .int(let signed)):
            UInt64(exactly: signed) == unsigned
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Adds what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .int(let number): hasher.combine(UInt64(bitPattern: number))
        case .uint(let number): hasher.combine(number)
        case .double(let number): hasher.combine(number)
        case .string(let text): hasher.combine(text)
        case .array(let values): hasher.combine(values)
        case .object(let object): hasher.combine(object)
        }
    }
}

// MARK: - Literals

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Null.
    public init(nilLiteral: ()) { self = .null }
    /// A Boolean.
    public init(booleanLiteral flag: Bool) { self = .bool(flag) }
    /// A whole number.
    public init(integerLiteral number: Int64) { self = .int(number) }
    /// A number.
    public init(floatLiteral number: Double) { self = .double(number) }
    /// A string.
    public init(stringLiteral text: String) { self = .string(text) }
    /// An array.
    public init(arrayLiteral values: JSONValue...) { self = .array(values) }
    /// An object, with its members in this order.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in members { object[key] = value }
        self = .object(object)
    }
}
