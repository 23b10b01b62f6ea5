public import MatterBase

/// A field of a structure of a cluster, with the type of its values (Matter core specification, chapter 7).
public struct StructureField<Structure: ClusterStructure, Value: AttributeValue>: Sendable {
    /// The number of the field within the structure.
    public let number: UInt8

    /// The field with a number.
    @inlinable public init(_ number: UInt8) { self.number = number }
}

/// A structure as a node sent it, read field by field: one that lacks, or is of another type, spoils no other.
///
/// The type itself is for those who need the whole (`DoorLock.GetUserResponse(tlv:)`). This is for lists and answers of
/// which a part is better than nothing: `PartialStructure<DoorLock.GetUserResponse>(tlv: answer)`. Fields that the type does
/// not know are ignored, as the specification asks of readers (Matter core specification, 7.13).
public struct PartialStructure<Structure: ClusterStructure>: AttributeValue {
    /// The structure as it came.
    public let tlv: TLVValue

    /// The value from its encoding; `nil` if that is no structure.
    public init?(tlv: TLVValue) {
        guard tlv.members != nil else { return nil }
        self.tlv = tlv
    }

    /// An answer that may have no fields; `nil` if it has none.
    package init?(_ answer: TLVValue?) {
        guard let answer else { return nil }
        self.init(tlv: answer)
    }

    /// A structure that cannot be done without.
    ///
    /// - Parameter name: the structure in messages.
    /// - Throws: ``TLVError`` if the value is no structure.
    package init(of value: TLVValue, _ name: String = "\(Structure.self)") throws(TLVError) {
        guard let structure = Self(tlv: value) else { throw TLVError(.wrongType, "\(name) is not a structure") }
        self = structure
    }

    /// Whether a field is there, also if it is null or of another type.
    package func has<Value>(_ field: StructureField<Structure, Value>) -> Bool { tlv.field(field.number) != nil }

    /// The contents of a field; `nil` if it is missing, null or of another type.
    public subscript<Value>(_ field: StructureField<Structure, Value>) -> Value? {
        tlv.field(field.number).flatMap { Value(tlv: $0) }
    }

    /// The structure in a field, to be read field by field too.
    public subscript<Value: ClusterStructure>(partial field: StructureField<Structure, Value>) -> PartialStructure<
        Value
    >? {
        tlv.field(field.number).flatMap { PartialStructure<Value>(tlv: $0) }
    }

    /// The members of the list in a field that are of the type; none if there is no list.
    public func members<Value>(_ field: StructureField<Structure, [Value]>) -> [Value] {
        (tlv.field(field.number)?.items ?? []).compactMap { Value(tlv: $0) }
    }

    /// The structures of the list in a field, to be read field by field too.
    package func partialMembers<Value: ClusterStructure>(
        _ field: StructureField<Structure, [Value]>
    ) -> [PartialStructure<Value>] {
        (tlv.field(field.number)?.items ?? []).compactMap { PartialStructure<Value>(tlv: $0) }
    }

    /// The contents of a field that has to be there.
    ///
    /// - Parameter name: the structure in messages.
    /// - Throws: ``TLVError`` if it is missing, null or of another type.
    public func required<Value>(
        _ field: StructureField<Structure, Value>, in name: String = "\(Structure.self)"
    ) throws(TLVError) -> Value {
        guard let value = try optional(field, in: name) else {
            throw TLVError(.missingField, "\(name) lacks field \(field.number)")
        }
        return value
    }

    /// The contents of a field that may be left out or null.
    ///
    /// - Parameter name: the structure in messages.
    /// - Throws: ``TLVError`` if it is of another type.
    public func optional<Value>(
        _ field: StructureField<Structure, Value>, in name: String = "\(Structure.self)"
    ) throws(TLVError) -> Value? {
        guard let given = tlv.field(field.number), given != .null else { return nil }
        guard let value = Value(tlv: given) else {
            throw TLVError(.wrongType, "\(name) field \(field.number) is of another type")
        }
        return value
    }
}
