public import MatterBase

/// An enumeration of a cluster. It is open: a device of a later revision may use numbers that are not known here
/// (Matter core specification, chapter 7).
public protocol ClusterEnumeration: RawRepresentable, AttributeValue, CustomStringConvertible
where RawValue: AttributeValue {
    /// The value with a number.
    init(rawValue: RawValue)

    /// Whether this revision of the specification has it.
    var isKnown: Bool { get }
}

extension ClusterEnumeration {
    /// The value with a number; `nil` if this revision of the specification has no such value.
    public init?(known number: RawValue) {
        self.init(rawValue: number)
        guard isKnown else { return nil }
    }
}

/// A list of numbers of one byte each, where `[UInt8]` is a string of octets (Matter core specification 7.19.1).
public struct UInt8List: AttributeValue, ExpressibleByArrayLiteral {
    /// The numbers of the list.
    public var numbers: [UInt8]

    /// A list of numbers.
    public init(_ numbers: [UInt8]) { self.numbers = numbers }

    /// A list of numbers.
    public init(arrayLiteral elements: UInt8...) { numbers = elements }

    /// The value from its encoding; `nil` if that is no list, or a member is no such number.
    public init?(tlv: TLVValue) {
        guard case .array(let members) = tlv else { return nil }
        numbers = []
        for member in members {
            guard let number = UInt8(tlv: member.value) else { return nil }
            numbers.append(number)
        }
    }

    /// The value as it is sent.
    public var tlv: TLVValue { .array(numbers.map { TLVElement(.anonymous, $0.tlv) }) }
}

/// A structure of a cluster with typed fields: one of its structures, or the fields of a command, a response or an
/// event (Matter core specification, chapter 7).
public protocol ClusterStructure: AttributeValue {}

/// A command with its fields, as `Node.invoke` sends it (Matter core specification, chapter 7).
public protocol ClusterCommand: ClusterStructure {
    /// The number of the cluster.
    static var cluster: ClusterID { get }
    /// The number of the command within the cluster.
    static var id: CommandID { get }
    /// Whether it is sent as a timed interaction (Matter core specification 8.3.1).
    static var isTimed: Bool { get }
}

extension ClusterCommand {
    /// Most commands are not.
    @inlinable public static var isTimed: Bool { false }
}

/// A command that the node answers with more than a status (Matter core specification, chapter 7).
public protocol AnsweredCommand: ClusterCommand {
    /// The answer of the node.
    associatedtype Response: ClusterResponse
}

/// The answer to a command (Matter core specification, chapter 7).
public protocol ClusterResponse: ClusterStructure {
    /// The number of the cluster.
    static var cluster: ClusterID { get }
    /// The number of the response within the cluster.
    static var id: CommandID { get }
}

/// An event of a node (Matter core specification, chapter 7).
public protocol ClusterEvent: ClusterStructure {
    /// The number of the cluster.
    static var cluster: ClusterID { get }
    /// The number of the event within the cluster.
    static var id: EventID { get }
}

/// The fields of a structure by their tags, which are their numbers, for the types that are generated.
///
/// Fields that a type does not know are ignored, as the specification asks of readers.
public struct StructureFields: Sendable {
    private var members: [TLVElement]

    /// No fields.
    public init() { members = [] }

    /// - Returns: `nil` if it is no structure.
    public init?(_ value: TLVValue) {
        guard case .structure(let members) = value else { return nil }
        self.members = members
    }

    /// The field with a number that must be there; `nil` if it is not, or is of another type. One that may be null may be missing, as others
    /// leave it out.
    public func required<Value: AttributeValue>(_ tag: UInt8) -> Value? {
        Value(tlv: self[tag] ?? .null)
    }

    /// The field with a number that may be left out; `nil` if it is there and of another type.
    public func optional<Value: AttributeValue>(_ tag: UInt8) -> Value?? {
        guard let value = self[tag] else { return .some(nil) }
        return Value(tlv: value).map { .some($0) }
    }

    private subscript(_ tag: UInt8) -> TLVValue? { members.first { $0.tag == .context(tag) }?.value }

    /// Adds the field with a number; null for `nil`.
    public mutating func add(_ tag: UInt8, _ value: some AttributeValue) {
        members.append(TLVElement(tag, value.tlv))
    }

    /// Adds a field unless it is left out.
    package mutating func addIfPresent(_ tag: UInt8, _ value: (some AttributeValue)?) {
        if let value { add(tag, value) }
    }

    /// The structure as it is sent.
    public var tlv: TLVValue { .structure(members) }
}
