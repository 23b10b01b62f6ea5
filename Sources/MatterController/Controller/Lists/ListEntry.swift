public import MatterModel

/// A structure of a fabric-scoped list, generated like all others (Matter core specification, chapter 7).
public protocol FabricScopedStructure: ClusterStructure {
    /// The index of the fabric that the entry belongs to; `nil` in one that has not been written.
    var fabricIndex: UInt8? { get set }
}

/// An entry of a fabric-scoped list, as the structure that the specification has for it; its fields are those of the entry.
///
/// Fields that a later version has added are kept and written back as they were read.
@dynamicMemberLookup
public struct ListEntry<Structure: FabricScopedStructure>: FabricListEntry {
    /// The fields that are known.
    package var known: Structure
    private var others: [TLVElement] = []

    package init(_ known: Structure) { self.known = known }

    /// An entry as a node sends it.
    ///
    /// - Throws: ``TLVError`` if a field is missing or of another type.
    public init(_ value: TLVValue) throws(TLVError) {
        guard let known = Structure(tlv: value), let written = known.tlv.members, let members = value.members else {
            throw TLVError(.wrongType, "an entry lacks a field, or a field is of another type")
        }
        self.known = known
        others = members.filter { member in !written.contains { $0.tag == member.tag } }
    }

    /// The entry as it is written: without the index of the fabric.
    public var tlv: TLVValue { .structure((unplaced.known.tlv.members ?? []) + others) }

    /// The index of the fabric that the entry belongs to; `nil` in one that has not been written.
    public var fabricIndex: UInt8? {
        get { known.fabricIndex }
        set { known.fabricIndex = newValue }
    }

    /// A field of the structure.
    public subscript<Value>(dynamicMember field: WritableKeyPath<Structure, Value>) -> Value {
        get { known[keyPath: field] }
        set { known[keyPath: field] = newValue }
    }
}

extension AccessControl.AccessControlEntry: FabricScopedStructure {}
extension Binding.Target: FabricScopedStructure {}
extension GroupKeyManagement.GroupInfoMap: FabricScopedStructure {}
extension GroupKeyManagement.GroupKeyMap: FabricScopedStructure {}
