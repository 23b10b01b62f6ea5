import MatterModel

/// Group Key Management (Matter core specification 11.2). Keys and groups lie in the table of fabrics.
struct GroupKeyManagementServer: ClusterServer {
    private typealias Attribute = GroupKeyManagement.Attribute

    private typealias Command = GroupKeyManagement.Command

    let id = GroupKeyManagement.id
    private let limits: NodeLimits

    init(_ limits: NodeLimits) { self.limits = limits }

    var initialAttributes: [AttributeID: TLVValue] {
        [
            Attribute.groupKeyMap: .array([]), Attribute.groupTable: .array([]),
            Attribute.maxGroupsPerFabric: .uint(UInt64(limits.groupsPerFabric)),
            Attribute.maxGroupKeysPerFabric: .uint(UInt64(limits.keySetsPerFabric)),
        ]
    }

    var acceptedCommands: [CommandID] {
        [Command.keySetWrite, Command.keySetRead, Command.keySetRemove, Command.keySetReadAllIndices]
    }
    var selfCheckedCommands: Set<CommandID> { [Command.keySetWrite] }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        let fabrics = context.node.fabrics.all
        switch attribute {
        case Attribute.groupKeyMap:
            return .array(
                of: fabrics.flatMap { fabric in
                    fabric.groupKeyMap.map {
                        GroupKeyManagement.GroupKeyMap(
                            groupId: $0.group, groupKeySetID: $0.keySet, fabricIndex: fabric.index
                        ).tlv
                    }
                })
        case Attribute.groupTable:
            return .array(
                of: fabrics.flatMap { fabric in
                    fabric.groups.map {
                        GroupKeyManagement.GroupInfoMap(
                            groupId: $0.group, endpoints: $0.endpoints, groupName: $0.name, fabricIndex: fabric.index
                        ).tlv
                    }
                })
        default: return nil
        }
    }

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        let index = context.caller.fabricIndex
        guard var fabric = context.node.fabrics[index], let items = value.items else { throw .unsupportedAccess }
        var map: [GroupKeyMapping] = []
        for item in items where item.fabricIndex == index {
            guard let entry = GroupKeyManagement.GroupKeyMap(tlv: item), entry.groupId != 0,
                entry.groupKeySetID != GroupKeySet.identityProtection,
                !map.contains(where: { $0.group == entry.groupId })
            else { throw .constraintError }
            map.append(GroupKeyMapping(group: entry.groupId, keySet: entry.groupKeySetID))
        }
        guard map.count <= limits.groupsPerFabric else { throw .resourceExhausted }
        fabric.groupKeyMap = map
        save(fabric, Attribute.groupKeyMap, context)
    }

    private func save(_ fabric: FabricEntry, _ attribute: AttributeID?, _ context: ClusterContext) {
        context.node.fabrics[fabric.index] = fabric
        context.node.unsaved.insert(.fabrics)
        if let attribute { context.touch(attribute) }
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard var fabric = context.node.fabrics[context.caller.fabricIndex] else { throw .unsupportedAccess }
        switch command.id {
        case Command.keySetWrite:
            let set = try GroupKeySet(writing: command.decoded(as: GroupKeyManagement.KeySetWrite.self).groupKeySet)
            if set.id == GroupKeySet.identityProtection, let key = set.keys.first?.key {
                guard let operational = try? fabric.operational.replacing(ipkEpochKey: key) else { throw .failure }
                fabric.operational = operational
            }
            if let position = fabric.keySets.firstIndex(where: { $0.id == set.id }) {
                fabric.keySets[position] = set
            } else {
                guard fabric.keySets.count < limits.keySetsPerFabric else { throw .resourceExhausted }
                fabric.keySets.append(set)
            }
            save(fabric, nil, context)
            return .success
        case Command.keySetRead:
            let id = try command.decoded(as: GroupKeyManagement.KeySetRead.self).groupKeySetID
            guard let set = fabric.keySets.first(where: { $0.id == id }) else { throw .notFound }
            return .response(
                GroupKeyManagement.KeySetReadResponse(groupKeySet: set.withoutKeys))
        case Command.keySetRemove:
            let id = try command.decoded(as: GroupKeyManagement.KeySetRemove.self).groupKeySetID
            guard id != GroupKeySet.identityProtection else { throw .invalidCommand }
            guard fabric.keySets.contains(where: { $0.id == id }) else { throw .notFound }
            fabric.keySets.removeAll { $0.id == id }
            fabric.groupKeyMap.removeAll { $0.keySet == id }
            save(fabric, Attribute.groupKeyMap, context)
            return .success
        default:
            return .response(
                GroupKeyManagement.KeySetReadAllIndicesResponse(groupKeySetIDs: fabric.keySets.map(\.id)))
        }
    }
}
