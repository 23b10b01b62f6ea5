/// The resolved type of an attribute, a field or a list entry (Matter core specification, section 7.19).
public struct DataType: Sendable, Equatable {
    /// The wire form of a single value.
    public enum Kind: Sendable, Equatable {
        /// A kind of value.
        case boolean
        /// A signed integer of so many bits; sent in any width.
        case signed(bits: Int)
        /// An unsigned integer of so many bits; sent in any width.
        case unsigned(bits: Int)
        /// A kind of value.
        case single
        /// A kind of value.
        case double
        /// A kind of value.
        case string
        /// A kind of value.
        case octets
        /// A kind of value.
        case enumeration(EnumDefinition)
        /// A kind of value.
        case bitmap(BitmapDefinition)
        /// A kind of value.
        case structure(StructDefinition)
    }

    /// The meaning of an octet string or a number beyond its unit.
    public enum Format: String, Sendable, CaseIterable {
        /// How octets or numbers are to be read.
        case ipAddress = "ipadr"
        /// How octets or numbers are to be read.
        case ipv4Address = "ipv4adr"
        /// How octets or numbers are to be read.
        case ipv6Address = "ipv6adr"
        /// How octets or numbers are to be read.
        case ipv6Prefix = "ipv6pre"
        /// How octets or numbers are to be read.
        case hardwareAddress = "hwadr"
        /// How octets or numbers are to be read.
        case clusterID = "cluster-id"
        /// How octets or numbers are to be read.
        case deviceTypeID = "devtype-id"
    }

    /// The name in the model: `uint8`, `temperature`, `StartUpOnOffEnum`. Of the entries, if this is a list.
    public var name: String
    /// Of the entries, if this is a list.
    public var kind: Kind
    /// True if this is a list of what ``kind`` describes.
    public var isList: Bool = false
    /// True if Matter null is a value. For a list this is about the whole list.
    public var isNullable: Bool = false
    /// The meaning of one step of the number.
    public var unit: ValueUnit?
    /// The meaning of the bytes or the number.
    public var format: Format?
    /// Sizes that the model expects.
    public var limits: ValueLimits = ValueLimits()

    /// The type of one entry of this list: never a list, never null.
    public var entry: DataType {
        var entry = self
        entry.isList = false
        entry.isNullable = false
        return entry
    }

    /// True if its values are the ids of fabrics, which are 16 hexadecimal digits wherever they are printed.
    var isFabricID: Bool { name == "fabric-id" }

    /// As a person would write it: `list<TargetStruct>?`.
    public var text: String {
        (isList ? "list<\(name)>" : name) + (isNullable ? "?" : "")
    }
}

/// The model's limits on size. They are hints: a device may differ.
public struct ValueLimits: Sendable, Hashable {
    /// The lower bound of a number.
    public var minimum: Int64?
    /// The upper bound of a number.
    package var maximum: Int64?
    /// The fewest bytes of a string.
    package var minimumLength: Int?
    /// The most bytes of a string.
    package var maximumLength: Int?
    /// The fewest entries of a list.
    package var minimumItems: Int?
    /// The most entries of a list.
    package var maximumItems: Int?

    /// Without any limit.
    public init() {}
}
