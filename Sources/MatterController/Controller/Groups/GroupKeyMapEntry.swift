import MatterModel

/// Which key set a group uses on a node: GroupKeyMapStruct (Matter core specification, 11.2.5.3).
struct GroupKeyMapEntry: FabricListEntry {
    var group: UInt16
    var keySet: UInt16
    var fabricIndex: UInt8?

    init(group: UInt16, keySet: UInt16) {
        self.group = group
        self.keySet = keySet
    }

    init(_ value: TLVValue) throws(TLVError) {
        typealias Field = GroupKeyManagement.GroupKeyMap.Field
        let fields = try TLVFields(value, "an entry of the group key map")
        self.init(
            group: try fields.unsigned(Field.groupId),
            keySet: try fields.unsigned(Field.groupKeySetID))
        fabricIndex = try fields.optionalUnsigned(Field.fabricIndex)
    }

    var tlv: TLVValue { GroupKeyManagement.GroupKeyMap(groupId: group, groupKeySetID: keySet).tlv }
}

/// A group with its endpoints on a node: GroupInfoMapStruct (11.2.5.5). It is only read.
struct GroupTableEntry: FabricListEntry {
    var group: UInt16
    var endpoints: [EndpointID]
    var fabricIndex: UInt8?
    let tlv: TLVValue

    init(_ value: TLVValue) throws(TLVError) {
        typealias Field = GroupKeyManagement.GroupInfoMap.Field
        let fields = try TLVFields(value, "an entry of the group table")
        group = try fields.unsigned(Field.groupId)
        endpoints = try fields.array(Field.endpoints).compactMap { EndpointID(tlv: $0) }
        fabricIndex = try fields.optionalUnsigned(Field.fabricIndex)
        tlv = value
    }
}
