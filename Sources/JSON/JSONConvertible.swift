/// A value with one form in JSON.
public protocol JSONConvertible {
    /// The value as JSON.
    var json: JSONValue { get }
}

extension JSONValue: JSONConvertible {
    /// The value as JSON.
    public var json: JSONValue { self }
}

extension JSONObject: JSONConvertible {
    /// The value as JSON.
    public var json: JSONValue { .object(self) }
}

extension String: JSONConvertible {
    /// The value as JSON.
    public var json: JSONValue { .string(self) }
}

extension Bool: JSONConvertible {
    /// The value as JSON.
    public var json: JSONValue { .bool(self) }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    /// The value as JSON.
    public var json: JSONValue { .array(map(\.json)) }
}

extension JSONConvertible where Self: FixedWidthInteger & UnsignedInteger {
    /// A number up to 2^53, a decimal string above.
    public var json: JSONValue { .id(UInt64(self)) }
}

extension JSONConvertible where Self: FixedWidthInteger & SignedInteger {
    /// The value as JSON.
    public var json: JSONValue { .id(signed: Int64(self)) }
}

extension UInt8: JSONConvertible {}
extension UInt16: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}
extension Int: JSONConvertible {}
extension Int64: JSONConvertible {}
