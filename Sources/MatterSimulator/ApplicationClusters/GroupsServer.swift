import MatterModel

/// Groups: which groups an endpoint is in (Matter application cluster specification 1.3). The table lies with the fabrics.
struct GroupsServer: ClusterServer {
    private typealias Command = Groups.Command

    let id = Groups.id

    init() {}

    /// The feature Group Names.
    var featureMap: FeatureMap { Groups.Feature.groupNames }
    var initialAttributes: [AttributeID: TLVValue] { [Groups.Attribute.nameSupport: .uint(0x80)] }
    var acceptedCommands: [CommandID] {
        [
            Command.addGroup, Command.viewGroup, Command.getGroupMembership, Command.removeGroup,
            Command.removeAllGroups, Command.addGroupIfIdentifying,
        ]
    }
    var selfCheckedCommands: Set<CommandID> { Set(acceptedCommands) }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard var fabric = context.node.fabrics[context.caller.fabricIndex] else { throw .unsupportedAccess }
        let endpoint = context.endpoint
        func added(_ status: IMStatus, _ group: UInt16) -> CommandAnswer {
            .response(Groups.AddGroupResponse(status: status.rawValue, groupID: group))
        }
        func viewed(_ status: IMStatus, _ group: UInt16, _ name: String = "") -> CommandAnswer {
            .response(Groups.ViewGroupResponse(status: status.rawValue, groupID: group, groupName: name))
        }
        func removed(_ status: IMStatus, _ group: UInt16) -> CommandAnswer {
            .response(Groups.RemoveGroupResponse(status: status.rawValue, groupID: group))
        }
        func isMember(_ membership: GroupMembership) -> Bool { membership.endpoints.contains(endpoint) }
        switch command.id {
        case Command.addGroup:
            let request: Groups.AddGroup = try command.decoded()
            return added(add(request.groupID, request.groupName, &fabric, context), request.groupID)
        case Command.addGroupIfIdentifying:
            let request: Groups.AddGroupIfIdentifying = try command.decoded()
            let left: UInt16 = context.sibling(Identify.id)?.number(Identify.Attribute.identifyTime) ?? 0
            guard left > 0 else { return .success }
            return .status(StatusIB(add(request.groupID, request.groupName, &fabric, context)))
        case Command.viewGroup:
            let group = try command.decoded(as: Groups.ViewGroup.self).groupID
            guard group != 0 else {
                return viewed(.constraintError, group)
            }
            let found = fabric.groups.first { $0.group == group && isMember($0) }
            return viewed(found == nil ? .notFound : .success, group, found?.name ?? "")
        case Command.getGroupMembership:
            let asked = try command.decoded(as: Groups.GetGroupMembership.self).groupList
            let groups = fabric.groups.filter { isMember($0) && (asked.isEmpty || asked.contains($0.group)) }
            return .response(Groups.GetGroupMembershipResponse(capacity: nil, groupList: groups.map(\.group)))
        case Command.removeGroup:
            let group = try command.decoded(as: Groups.RemoveGroup.self).groupID
            guard group != 0 else { return removed(.constraintError, group) }
            guard fabric.groups.contains(where: { $0.group == group && isMember($0) }) else {
                return removed(.notFound, group)
            }
            leave(&fabric, context) { $0 == group }
            return removed(.success, group)
        default:
            leave(&fabric, context) { _ in true }
            return .success
        }
    }

    private func add(
        _ group: UInt16, _ name: String, _ fabric: inout FabricEntry, _ context: ClusterContext
    ) -> IMStatus {
        guard group != 0, name.utf8.count <= GroupMembership.longestName else { return .constraintError }
        guard let mapping = fabric.groupKeyMap.first(where: { $0.group == group }),
            fabric.keySets.contains(where: { $0.id == mapping.keySet })
        else { return .unsupportedAccess }
        if let position = fabric.groups.firstIndex(where: { $0.group == group }) {
            fabric.groups[position].name = name
            if !fabric.groups[position].endpoints.contains(context.endpoint) {
                fabric.groups[position].endpoints = (fabric.groups[position].endpoints + [context.endpoint]).sorted()
            }
        } else {
            guard fabric.groups.count < context.node.configuration.limits.groupsPerFabric else {
                return .resourceExhausted
            }
            fabric.groups.append(GroupMembership(group: group, name: name, endpoints: [context.endpoint]))
        }
        save(fabric, context)
        return .success
    }

    private func leave(_ fabric: inout FabricEntry, _ context: ClusterContext, _ isMeant: (UInt16) -> Bool) {
        for position in fabric.groups.indices where isMeant(fabric.groups[position].group) {
            fabric.groups[position].endpoints.removeAll { $0 == context.endpoint }
        }
        fabric.groups.removeAll { $0.endpoints.isEmpty }
        save(fabric, context)
    }

    private func save(_ fabric: FabricEntry, _ context: ClusterContext) {
        context.node.fabrics[fabric.index] = fabric
        context.node.unsaved.insert(.fabrics)
        context.node.changed(0, GroupKeyManagement.id, GroupKeyManagement.Attribute.groupTable)
    }
}
