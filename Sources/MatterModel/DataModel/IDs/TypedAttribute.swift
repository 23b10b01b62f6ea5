public import MatterBase

/// An attribute of a cluster together with the Swift type of its value, such as ``OnOff/onOff`` (Matter core
/// specification, chapter 7).
///
/// `Value` is an optional where the attribute can be null.
public struct TypedAttribute<Value: AttributeValue>: Hashable, Sendable {
    /// The cluster that has the attribute.
    public let cluster: ClusterID
    /// The attribute's number within the cluster.
    public let id: AttributeID

    /// Names an attribute, for clusters that the catalogue lacks.
    @inlinable public init(_ cluster: ClusterID, _ id: AttributeID) {
        self.cluster = cluster
        self.id = id
    }
}

/// The features of a cluster, as bits of its attribute FeatureMap (Matter core specification 7.13.2).
public struct FeatureMap: OptionSet, AttributeValue {
    /// The number.
    public let rawValue: UInt32
    /// The thing with a number.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// One feature by the number of its bit.
    @inlinable public init(bit: UInt32) { rawValue = 1 << bit }
}

/// A type that holds what an attribute can: a boolean, a number, text, bytes, an enumeration, or a list of these
/// (Matter core specification, chapter 7).
public protocol AttributeValue: Hashable, Sendable {
    /// The value from its encoding; `nil` if it is of another type, does not fit, or is no case of the enumeration.
    init?(tlv: TLVValue)

    /// The value as it is sent.
    var tlv: TLVValue { get }
}

extension RawRepresentable where Self: AttributeValue, RawValue: AttributeValue {
    /// The value from its encoding; `nil` if that is of another type.
    public init?(tlv: TLVValue) {
        guard let number = RawValue(tlv: tlv) else { return nil }
        self.init(rawValue: number)
    }

    /// The value as it is sent.
    public var tlv: TLVValue { rawValue.tlv }
}

extension FixedWidthInteger where Self: AttributeValue {
    /// The value from its encoding; `nil` if that is of another type.
    public init?(tlv: TLVValue) {
        // Some writers encode small unsigned numbers as signed ones; the value decides.
        switch tlv {
        case .uint(let number): self.init(exactly: number)
        case .int(let number): self.init(exactly: number)
        default: return nil
        }
    }

    /// The value as it is sent.
    public var tlv: TLVValue { Self.isSigned ? .int(Int64(self)) : .uint(UInt64(self)) }
}

extension UInt8: AttributeValue {}
extension UInt16: AttributeValue {}
extension UInt32: AttributeValue {}
extension UInt64: AttributeValue {}
extension Int8: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}

extension Bool: AttributeValue {
    /// The value from its encoding; `nil` if that is of another type.
    public init?(tlv: TLVValue) {
        guard case .bool(let flag) = tlv else { return nil }
        self = flag
    }

    /// The value as it is sent.
    public var tlv: TLVValue { .bool(self) }
}

extension Float: AttributeValue {
    /// The value from its encoding; `nil` if that is of another type.
    public init?(tlv: TLVValue) {
        switch tlv {
        case .float(let number): self = number
        case .double(let number): self = Float(number)
        default: return nil
        }
    }

    /// The value as it is sent.
    public var tlv: TLVValue { .float(self) }
}

extension Double: AttributeValue {
    /// The value from its encoding; `nil` if that is of another type.
    public init?(tlv: TLVValue) {
        switch tlv {
        case .float(let number): self = Double(number)
        case .double(let number): self = number
        default: return nil
        }
    }

    /// The value as it is sent.
    public var tlv: TLVValue { .double(self) }
}

extension String: AttributeValue {
    /// The value from its encoding; `nil` if that is of another type.
    public init?(tlv: TLVValue) {
        guard case .string(let text) = tlv else { return nil }
        self = text
    }

    /// The value as it is sent.
    public var tlv: TLVValue { .string(self) }
}

/// A list, or a string of octets as `[UInt8]`; a list of single bytes is a ``UInt8List``.
extension Array: AttributeValue where Element: AttributeValue {
    /// The value from its encoding; `nil` if that is of another type.
    public init?(tlv: TLVValue) {
        switch tlv {
        case .array(let members):
            self = []
            for member in members {
                guard let value = Element(tlv: member.value) else { return nil }
                append(value)
            }
        case .octets(let bytes):
            guard Element.self == UInt8.self, let bytes = bytes as? [Element] else { return nil }
            self = bytes
        default:
            return nil
        }
    }

    /// The value as it is sent.
    public var tlv: TLVValue {
        // An empty list of anything could be cast.
        if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .octets(bytes) }
        return .array(map { TLVElement(.anonymous, $0.tlv) })
    }
}

/// A value that can be null.
extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// The value from its encoding; `nil` if that is of another type.
    public init?(tlv: TLVValue) {
        if tlv == .null {
            self = .none
        } else if let value = Wrapped(tlv: tlv) {
            self = .some(value)
        } else {
            return nil
        }
    }

    /// The value as it is sent.
    public var tlv: TLVValue { self?.tlv ?? .null }
}

/// A value of any type, such as a structure.
extension TLVValue: AttributeValue {
    /// The value from its encoding; `nil` if that is of another type.
    public init?(tlv: TLVValue) { self = tlv }
    /// The value as it is sent.
    public var tlv: TLVValue { self }
}
