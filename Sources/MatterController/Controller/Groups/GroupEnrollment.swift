import MatterState

/// Gives a node what members of a group need, or takes it back.
struct GroupEnrollment: Sendable {
    /// Time to take back what was begun.
    private static let undoTime = Duration.seconds(5)
    /// The most bytes of a group's name on a node (application cluster specification 1.3.7.1.2).
    private static let longestName = 16

    let link: NodeLink
    let node: NodeRecord
    let group: GroupRecord
    /// Who we are on the fabric.
    let own: NodeIdentity
    let deadline: Instant
    /// The keys of the group's set, while they are exchanged or since that was begun.
    var keys = GroupKeys()

    // MARK: What it has

    private static func path(_ attribute: AttributeID) -> ConcreteAttributePath {
        ConcreteAttributePath(endpoint: 0, cluster: GroupKeyManagement.id, attribute: attribute)
    }

    private typealias KeyMapEntry = ListEntry<GroupKeyManagement.GroupKeyMap>

    private static let keyMap = path(GroupKeyManagement.Attribute.groupKeyMap)
    private static let table = path(GroupKeyManagement.Attribute.groupTable)
    private static let keyMapName = "group key map"

    func state() async throws -> GroupState {
        let result = try await link.read(
            [AttributePath(Self.keyMap), AttributePath(Self.table), AttributePath(NodeLink.accessListPath)],
            deadline: deadline)
        let map =
            try NodeLink.list(Self.keyMap, Self.keyMapName, in: result, of: node.title) as FabricList<KeyMapEntry>
        let table =
            try NodeLink.list(Self.table, "group table", in: result, of: node.title)
            as FabricList<ListEntry<GroupKeyManagement.GroupInfoMap>>
        let access =
            try NodeLink.list(NodeLink.accessListPath, NodeLink.accessListName, in: result, of: node.title)
            as FabricList<AccessControlEntry>
        var state = GroupState()
        state.mapping = map.entries.first { $0.groupId == group.group }?.groupKeySetID
        state.isKeyShared = map.entries.contains {
            $0.groupId != group.group && $0.groupKeySetID == group.keySet
        }
        state.endpoints = Set(table.entries.first { $0.groupId == group.group }?.endpoints ?? [])
        // A list that is full lacks the entry too.
        state.hasAccess = (try? grant.applied(to: access.entries))?.means(access.entries) ?? false
        state.keyStart = try await keyStart()
        return state
    }

    /// When the node's key set with our id begins.
    private func keyStart() async throws -> UInt64? {
        let result = try await manageKeys(GroupKeyManagement.KeySetRead(groupKeySetID: group.keySet))
        switch result.outcome {
        case .status(let status) where status.status == .notFound: return nil
        case .status:
            try Outcome.check(result, of: node.title)
            return nil
        case .response:
            let start = result.answer()?[partial: GroupKeyManagement.KeySetReadResponse.Field.groupKeySet]?[
                GroupKeyManagement.GroupKeySet.Field.epochStartTime0]
            // A set of another phase is ours as well.
            return start.map { keys.wrote($0) ? group.keyStart : $0 }
        }
    }

    // MARK: Joining and leaving

    /// Takes steps; if one fails, all that were begun are taken back.
    ///
    /// - Returns: the error, and whether nothing of the steps is left.
    func join(_ steps: [GroupStep], key: SecretBytes) async -> (error: any Error, isUndone: Bool)? {
        var begun: [GroupStep] = []
        do {
            for step in steps {
                try Task.checkCancellation()
                begun.append(step)
                try await take(step, key: key)
            }
            return nil
        } catch {
            let undo = begun
            // A task of its own, which an interruption does not reach.
            let undoing = Task(executorPreference: link.time.executor) { await self.undo(undo) }
            return (error, await undoing.value)
        }
    }

    private func undo(_ steps: [GroupStep]) async -> Bool {
        let patient = GroupEnrollment(
            link: link, node: node, group: group, own: own, deadline: link.time.now + Self.undoTime, keys: keys)
        var isUndone = true
        for step in steps.reversed() {
            do { try await patient.takeBack(step) } catch { isUndone = false }
        }
        return isUndone
    }

    func leave(_ steps: [GroupStep]) async throws {
        for step in steps { try await takeBack(step) }
    }

    private func take(_ step: GroupStep, key: SecretBytes) async throws {
        switch step {
        case .keySet: try await writeKeySet(key)
        case .mapping:
            let mapping = KeyMapEntry(.init(groupId: group.group, groupKeySetID: group.keySet))
            try await changeKeyMap { map in
                map.contains { $0.unplaced == mapping } ? map : map + [mapping]
            }
        case .endpoint(let endpoint):
            try await changeMembership(Groups.AddGroup(groupID: group.group, groupName: nameOnNode), at: endpoint)
        case .access: _ = try await link.change(accessListBy: grant, deadline: deadline)
        }
    }

    /// Takes a step back, also one that was not taken.
    private func takeBack(_ step: GroupStep) async throws {
        switch step {
        case .keySet:
            let result = try await manageKeys(GroupKeyManagement.KeySetRemove(groupKeySetID: group.keySet))
            guard result.status.status != .notFound else { return }
            try Outcome.check(result, of: node.title)
        case .mapping:
            try await changeKeyMap { $0.filter { $0.groupId != group.group || $0.groupKeySetID != group.keySet } }
        case .endpoint(let endpoint):
            // An endpoint of a bridge may be gone, and its membership with it.
            try await changeMembership(
                Groups.RemoveGroup(groupID: group.group), at: endpoint,
                tolerating: [.notFound, .unsupportedEndpoint, .unsupportedCluster])
        case .access: _ = try await link.change(accessListBy: withdrawal, deadline: deadline)
        }
    }

    // MARK: Keys

    private func manageKeys(_ command: some ClusterCommand) async throws -> CommandResult {
        try await link.invoke(Command(command, at: 0), .absolute, deadline: deadline)
    }

    private func writeKeySet(_ key: SecretBytes) async throws {
        let present = keys.turn?.epochKeys ?? [EpochKey(key: key, start: group.keyStart)]
        let result = try await manageKeys(
            GroupKeyManagement.KeySetWrite(groupKeySet: GroupKeyManagement.GroupKeySet(group.keySet, present)))
        guard result.status.status != .resourceExhausted else {
            throw ControllerError(
                .status, "\(node.title) has no room for the key of group '\(group.name)'",
                hint: .step("group.no-room-for-key"), status: result.status)
        }
        try Outcome.check(result, of: node.title)
    }

    private func changeKeyMap(
        _ edit: @Sendable @escaping ([KeyMapEntry]) -> [KeyMapEntry]
    ) async throws {
        _ = try await link.change(Self.keyMap, Self.keyMapName, deadline: deadline) { edit($0.entries) }
    }

    // MARK: Endpoints

    /// The name as far as a node takes it.
    private var nameOnNode: String {
        var name = group.name
        while name.utf8.count > Self.longestName { name.removeLast() }
        return name
    }

    private func changeMembership(
        _ command: some ClusterCommand, at endpoint: EndpointID, tolerating: Set<IMStatus> = []
    ) async throws {
        var result = try await link.invoke(Command(command, at: endpoint), .absolute, deadline: deadline)
        if case .response = result.outcome {
            guard let number = result.answer()?[Groups.AddGroupResponse.Field.status] else {
                throw ControllerError(.status, "\(node.title) garbled its answer about group \(group.group)")
            }
            result.outcome = .status(StatusIB(IMStatus(rawValue: number)))
        }
        if !tolerating.contains(result.status.status) { try Outcome.check(result, of: node.title) }
    }

    // MARK: Access

    private var entry: AccessControlEntry {
        AccessControlEntry(
            .operate, authMode: .group,
            subjects: [NodeID(UInt64(group.group))])
    }

    private var grant: AccessListEdit { AccessListEdit(.grant([entry]), own: own, of: node) }
    private var withdrawal: AccessListEdit { AccessListEdit(.withdraw([entry]), own: own, of: node) }
}
