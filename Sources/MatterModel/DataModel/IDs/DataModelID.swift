public import MatterBase

/// A number by which the data model names something (Matter core specification 7.18.2).
///
/// The types keep the numbers of different things apart. A literal makes one: `let cluster: ClusterID = 0x0006`.
public protocol DataModelID<RawValue>: RawRepresentable, Hashable, Strideable, Sendable, ExpressibleByIntegerLiteral,
    CustomStringConvertible, AttributeValue
where RawValue: FixedWidthInteger & UnsignedInteger & AttributeValue {
    /// The thing with a number; any number is one.
    init(rawValue: RawValue)
}

extension DataModelID {
    /// The thing with a number.
    @inlinable public init(_ number: RawValue) { self.init(rawValue: number) }
    /// A literal is the number.
    @inlinable public init(integerLiteral number: RawValue) { self.init(rawValue: number) }

    /// Ordered by number.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    /// The difference of the numbers.
    @inlinable public func distance(to other: Self) -> Int { Int(other.rawValue) - Int(rawValue) }
    /// The thing with a number that is larger by `count`.
    @inlinable public func advanced(by count: Int) -> Self { Self(RawValue(clamping: Int(rawValue) + count)) }

    /// The number in decimal digits.
    public var description: String { String(rawValue) }
}

extension DataModelID<UInt32> {
    /// True if a manufacturer has given the number, whose own is in its upper half (section 7.19.2).
    @inlinable public var isManufacturerSpecific: Bool { rawValue >> 16 != 0 }
}

extension TLVValue {
    /// The number of something in the data model; `nil` if this is none, or does not fit.
    package func id<ID: DataModelID>(as type: ID.Type = ID.self) -> ID? { ID(tlv: self) }

    /// The number of something in the data model, or null.
    package static func id(_ id: (some DataModelID)?) -> TLVValue { id?.tlv ?? .null }
}

extension JSONValue {
    /// The number of something in the data model.
    public static func id(_ id: some DataModelID) -> JSONValue { .uint(UInt64(id.rawValue)) }
}

/// The number of a cluster; the upper half names the manufacturer (Matter core specification 7.19.2).
public struct ClusterID: DataModelID {
    /// The number.
    public let rawValue: UInt32
    /// The thing with a number.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The number of an attribute within its cluster (Matter core specification, chapter 7).
public struct AttributeID: DataModelID {
    /// The number.
    public let rawValue: UInt32
    /// The thing with a number.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The number of a command, or of a response to one, within its cluster (Matter core specification, chapter 7).
public struct CommandID: DataModelID {
    /// The number.
    public let rawValue: UInt32
    /// The thing with a number.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The number of an event within its cluster (Matter core specification, chapter 7).
public struct EventID: DataModelID {
    /// The number.
    public let rawValue: UInt32
    /// The thing with a number.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The number of an endpoint of a node; 0 is the root endpoint (Matter core specification, chapter 7).
public struct EndpointID: DataModelID {
    /// The number.
    public let rawValue: UInt16
    /// The thing with a number.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The number of a device type; the upper half names the manufacturer (Matter core specification, chapter 7).
public struct DeviceTypeID: DataModelID {
    /// The number.
    public let rawValue: UInt32
    /// The thing with a number.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The attributes that every cluster has (Matter core specification 7.13).
public enum GlobalAttribute {
    /// GeneratedCommandList
    package static let generatedCommandList: AttributeID = 0xFFF8
    /// AcceptedCommandList
    package static let acceptedCommandList: AttributeID = 0xFFF9
    /// AttributeList
    package static let attributeList: AttributeID = 0xFFFB
    /// FeatureMap
    package static let featureMap: AttributeID = 0xFFFC
    /// ClusterRevision
    package static let clusterRevision: AttributeID = 0xFFFD

    /// All of them, ascending.
    public static let all = [generatedCommandList, acceptedCommandList, attributeList, featureMap, clusterRevision]
}

extension JSONConvertible where Self: DataModelID {
    /// The number as JSON.
    public var json: JSONValue { .id(self) }
}

extension EndpointID: JSONConvertible {}
extension ClusterID: JSONConvertible {}
extension AttributeID: JSONConvertible {}
extension CommandID: JSONConvertible {}
extension EventID: JSONConvertible {}
extension DeviceTypeID: JSONConvertible {}
