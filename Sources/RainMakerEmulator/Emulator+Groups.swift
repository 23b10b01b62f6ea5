import MatterCrypto

/// Groups and their fabrics (docs/rainmaker.md).
extension Emulator {
    private static let adminIdentifiers: ClosedRange<UInt32> = 0x0100...0x03FF
    private static let operateIdentifiers: ClosedRange<UInt32> = 0x0600...0x08FF
    private static let userIdentifiers: ClosedRange<UInt32> = 0x0B00...0x0BFF
    private static let standardPage = 25

    // MARK: Access

    /// The index of a group that the caller belongs to.
    func index(of id: String?, _ call: EmulatorCall, needsPrimary: Bool = false) throws -> Int {
        guard let id, !id.isEmpty else { throw EmulatorFailure(400, 108_016, "Group id is missing") }
        guard let index = state.groups.firstIndex(where: { $0.id == id }),
            let member = state.groups[index].members[call.userID]
        else { throw EmulatorFailure.unknownGroup }
        guard member.isPrimary || !needsPrimary else { throw EmulatorFailure.noRights }
        return index
    }

    private func identifier(_ range: ClosedRange<UInt32>) throws -> UInt32 {
        let count = range.upperBound - range.lowerBound + 1
        return (range.lowerBound + (try options.random.integer(UInt32.self)) % count) << 16 | 1
    }

    func newMember(isPrimary: Bool) throws -> EmulatorState.Member {
        EmulatorState.Member(
            isPrimary: isPrimary, matterUserID: try randomNodeID(), userCAT: try identifier(Self.userIdentifiers))
    }

    private func makeFabric(of group: String) throws -> EmulatorState.Fabric {
        let authority = try EmulatorAuthority.generate(
            fabricID: try FabricID.random(options.random), now: matterTime, random: options.random)
        try keep(rootKey: authority.key, of: group)
        return EmulatorState.Fabric(
            id: authority.fabricID.rawValue, root: Hex.encode(authority.root.tlv),
            ipk: Hex.encode(try options.random.bytes(16), uppercase: true),
            adminCAT: try identifier(Self.adminIdentifiers), operateCAT: try identifier(Self.operateIdentifiers))
    }

    // MARK: Operations

    func createGroup(_ call: EmulatorCall) throws -> EmulatorResponse {
        let body = try call.object()
        let name = try call.text("group_name", orElse: EmulatorFailure(400, 108_907, "Group name is missing"))
        let id = try randomName(22)
        var group = EmulatorState.Group(
            id: id, name: name, members: [call.userID: try newMember(isPrimary: true)])
        group.description = body["description"]?.stringValue
        group.type = body["type"]?.stringValue
        if let parent = body["parent_group_id"]?.stringValue {
            group.parentID = state.groups[try index(of: parent, call, needsPrimary: true)].id
        }
        group.isMutuallyExclusive = body["mutually_exclusive"]?.boolValue
        group.customData = body["custom_data"]?.objectValue.map { JSONValue.object($0).serialized() }
        group.metadata = body["group_metadata"]?.objectValue.map { JSONValue.object($0).serialized() }
        if body["is_matter"]?.boolValue == true { group.fabric = try makeFabric(of: id) }
        state.groups.append(group)
        if body["nodes"]?.arrayValue?.isEmpty == false {
            do { try add(try nodeIDs(body), to: id, call) } catch {
                state.groups.removeAll { $0.id == id }
                try forgetRootKey(of: id)
                throw error
            }
        }
        try save()
        return Self.success("Group created", try fabricAnswer(group, call, withUserCAT: false))
    }

    func convert(_ call: EmulatorCall) throws -> EmulatorResponse {
        guard try call.object()["is_matter"]?.boolValue == true else { throw EmulatorFailure.invalidBody }
        let index = try index(of: call.request.text("group_id"), call, needsPrimary: true)
        guard state.groups[index].fabric == nil else {
            throw EmulatorFailure(409, 108_905, "Group is already a Matter fabric")
        }
        state.groups[index].fabric = try makeFabric(of: state.groups[index].id)
        try save()
        return Self.success("Group converted", try fabricAnswer(state.groups[index], call, withUserCAT: true))
    }

    /// Flat, unlike the list.
    private func fabricAnswer(
        _ group: EmulatorState.Group, _ call: EmulatorCall, withUserCAT: Bool
    ) throws -> JSONObject {
        var object: JSONObject = ["group_id": .string(group.id)]
        guard let fabric = group.fabric else { return object }
        object["fabric_id"] = .string(FabricID(fabric.id).description)
        for member in try details(fabric, of: group, group.members[call.userID]).members
        where withUserCAT || member.key != "user_cat_id" {
            object[member.key] = member.value
        }
        return object
    }

    private func details(
        _ fabric: EmulatorState.Fabric, of group: EmulatorState.Group, _ member: EmulatorState.Member?
    ) throws -> JSONObject {
        var root = try MatterCertificate(tlv: Hex.decode(fabric.root))
        if acting.contains(where: { $0.kind == .rootWithoutAKI && $0.concerns(group) }) {
            root = try EmulatorAuthority(fabricID: FabricID(fabric.id), key: try rootKey(of: group.id), root: root)
                .rootWithoutAKI(now: matterTime, random: options.random)
        }
        var object: JSONObject = [
            "root_ca": .string(try root.pem()), "ipk": .string(fabric.ipk),
            "group_cat_id_admin": .string(CASEAuthenticatedTag(fabric.adminCAT).description),
            "group_cat_id_operate": .string(CASEAuthenticatedTag(fabric.operateCAT).description),
        ]
        if let member {
            object["matter_user_id"] = .string(text(member.matterUserID))
            object["user_cat_id"] = .string(CASEAuthenticatedTag(member.userCAT).description)
        }
        return object
    }

    func getNodeGroups(_ call: EmulatorCall) throws -> EmulatorResponse {
        let request = call.request
        var groups = state.groups.filter { $0.members[call.userID] != nil }
        if let id = request.text("group_id") { groups = groups.filter { $0.id == id } }
        if request.flag("is_matter") { groups = groups.filter { $0.fabric != nil } }
        let total = groups.count
        let (page, next) = try page(groups, request, id: \.id)
        var object: JSONObject = ["groups": .array(try page.map { .object(try describe($0, call)) })]
        object["total"] = .int(Int64(total))
        object["next_id"] = next.map { .string($0) }
        return EmulatorResponse(200, object)
    }

    /// The entries of a page, and where the next one begins.
    func page<Entry>(
        _ all: [Entry], _ request: EmulatorRequest, id: (Entry) -> String
    ) throws -> (entries: [Entry], next: String?) {
        var size = Self.standardPage
        if let text = request.text("num_records") {
            guard let number = Int(text), number >= 1 else { throw EmulatorFailure(400, nil, "Bad num_records value") }
            size = number
        }
        if let forced = acting.first(where: { $0.kind == .pageSize })?.number { size = forced }
        let start = request.text("start_id").map { start in all.firstIndex { id($0) == start } ?? all.count } ?? 0
        let rest = all[start...]
        return (Array(rest.prefix(size)), inventedPage() ?? rest.dropFirst(size).first.map(id))
    }

    private func describe(_ group: EmulatorState.Group, _ call: EmulatorCall) throws -> JSONObject {
        let request = call.request
        let nodes = state.nodes.filter { $0.groupID == group.id }
        let member = group.members[call.userID]
        var object: JSONObject = [
            "group_id": .string(group.id), "group_name": .string(group.name), "is_matter": .bool(group.fabric != nil),
            "primary": .bool(member?.isPrimary ?? false), "total": .int(Int64(nodes.count)),
        ]
        object["fabric_id"] = group.fabric.map { .string(FabricID($0.id).description) }
        object["parent_group_id"] = group.parentID.map { .string($0) }
        object["description"] = group.description.map { .string($0) }
        object["type"] = group.type.map { .string($0) }
        object["mutually_exclusive"] = group.isMutuallyExclusive.map { .bool($0) }
        object["group_metadata"] = group.metadata.flatMap { try? JSONValue(parsing: $0) }
        object["custom_data"] = group.customData.flatMap { try? JSONValue(parsing: $0) }
        if request.flag("node_list") { object["nodes"] = .array(nodes.map { .string($0.id) }) }
        if request.flag("node_details") || request.flag("matter_node_list") {
            let key = request.flag("matter_node_list") ? "id" : "node_id"
            object["node_details"] = .array(
                nodes.map { node in
                    var entry: JSONObject = [key: .string(node.id)]
                    entry["matter_node_id"] = node.matterNodeID.map { .string(text($0)) }
                    return .object(entry)
                })
        }
        if request.flag("sub_groups") {
            let children = state.groups.filter { $0.parentID == group.id && $0.members[call.userID] != nil }
            object["sub_groups"] = .array(try children.map { .object(try describe($0, call)) })
        }
        if request.flag("fabric_details"), let fabric = group.fabric {
            object["fabric_details"] = .object(try details(fabric, of: group, member))
        }
        return object
    }

    func updateGroup(_ call: EmulatorCall) throws -> EmulatorResponse {
        let body = try call.object()
        let index = try index(of: call.request.text("group_id"), call, needsPrimary: true)
        let known: Set = ["group_name", "group_metadata", "description", "custom_data", "operation", "nodes"]
        guard !body.isEmpty, body.keys.allSatisfy(known.contains) else { throw EmulatorFailure.invalidBody }
        if body["group_name"] != nil {
            state.groups[index].name = try call.text(
                "group_name", orElse: EmulatorFailure(400, 108_907, "Group name is missing"))
        }
        if let text = body["description"]?.stringValue { state.groups[index].description = text }
        if let metadata = body["group_metadata"]?.objectValue {
            state.groups[index].metadata = JSONValue.object(metadata).serialized()
        }
        if let data = body["custom_data"]?.objectValue {
            state.groups[index].customData = JSONValue.object(data).serialized()
        }
        if body["operation"] != nil || body["nodes"] != nil {
            try changeNodes(of: state.groups[index].id, body, call)
        }
        try save()
        return Self.success("Group updated")
    }

    private func changeNodes(of group: String, _ body: JSONObject, _ call: EmulatorCall) throws {
        let nodes = try nodeIDs(body)
        switch body["operation"]?.stringValue {
        case "remove": state.nodes.removeAll { $0.groupID == group && nodes.contains($0.id) }
        case "add": try add(nodes, to: group, call)
        default: throw EmulatorFailure(400, 108_908, "Unknown operation")
        }
    }

    private func nodeIDs(_ body: JSONObject) throws -> [String] {
        guard let nodes = body["nodes"]?.arrayValue?.compactMap(\.stringValue), !nodes.isEmpty else {
            throw EmulatorFailure.invalidBody
        }
        return nodes
    }

    /// All of them, or none.
    private func add(_ nodes: [String], to group: String, _ call: EmulatorCall) throws {
        for index in try nodes.map({ try nodeIndex($0, call) }) { state.nodes[index].groupID = group }
    }

    func deleteGroup(_ call: EmulatorCall) throws -> EmulatorResponse {
        let index: Int
        do { index = try self.index(of: call.request.text("group_id"), call, needsPrimary: true) } catch let failure
            as EmulatorFailure where failure.status == 403
        {
            // This operation has no 403.
            throw EmulatorFailure(400, failure.code, failure.description)
        }
        let id = state.groups[index].id
        state.groups.remove(at: index)
        for child in state.groups.indices where state.groups[child].parentID == id {
            state.groups[child].parentID = nil
        }
        state.nodes.removeAll { $0.groupID == id }
        state.pending.removeAll { $0.groupID == id }
        state.offers.removeAll { $0.groupIDs.contains(id) }
        try save()
        try forgetRootKey(of: id)
        return Self.success("Group deleted")
    }
}
