import MatterCrypto

/// Nodes (docs/rainmaker.md).
extension Emulator {
    /// The index of a node in one of the caller's groups.
    func nodeIndex(_ id: String?, _ call: EmulatorCall) throws -> Int {
        guard let id, !id.isEmpty else { throw EmulatorFailure(400, 100_009, "Node id is missing") }
        guard let index = state.nodes.firstIndex(where: { $0.id == id && role(of: call, in: $0) != nil }) else {
            throw EmulatorFailure(404, 100_010, "Node does not belong to the user")
        }
        return index
    }

    /// True if the caller is a primary user of a node's group; `nil` if he has no part in it.
    private func role(of call: EmulatorCall, in node: EmulatorState.Node) -> Bool? {
        if node.groupID.isEmpty, node.ownerID == call.userID { return true }
        return state.groups.first { $0.id == node.groupID }?.members[call.userID]?.isPrimary
    }

    private func changeable(_ id: String?, _ call: EmulatorCall) throws -> Int {
        let index = try nodeIndex(id, call)
        guard role(of: call, in: state.nodes[index]) == true else {
            // The operations on nodes have no 403.
            throw EmulatorFailure(400, EmulatorFailure.noRights.code, EmulatorFailure.noRights.description)
        }
        return index
    }

    func getNodes(_ call: EmulatorCall) throws -> EmulatorResponse {
        let request = call.request
        var nodes = state.nodes.filter { role(of: call, in: $0) != nil }
        if let group = request.text("group_id") { nodes = nodes.filter { $0.groupID == group } }
        if let id = request.text("node_id") {
            nodes = nodes.filter { $0.id == id }
            guard !nodes.isEmpty else { throw EmulatorFailure(400, 100_010, "Node does not belong to the user") }
        }
        if request.flag("is_matter") { nodes = nodes.filter { $0.matterNodeID != nil } }
        let (page, next) = try page(nodes, request, id: \.id)
        var object: JSONObject = [
            "nodes": .array(page.map { .string($0.id) }), "total": .int(Int64(nodes.count)),
        ]
        if request.flag("node_details") {
            object["node_details"] = .array(page.map { .object(describe($0, call)) })
        }
        object["next_id"] = next.map { .string($0) }
        return EmulatorResponse(200, object)
    }

    private func describe(_ node: EmulatorState.Node, _ call: EmulatorCall) -> JSONObject {
        let isPrimary = role(of: call, in: node) ?? false
        var object: JSONObject = [
            "id": .string(node.id), "node_type": .string(node.type), "is_matter": .bool(node.matterNodeID != nil),
            "role": .string(isPrimary ? "primary" : "secondary"), "primary": .bool(isPrimary),
            "status": .object(["connectivity": connectivity(node)]),
        ]
        object["metadata"] = node.metadata.flatMap { try? JSONValue(parsing: $0) }
        if node.type != "pure_matter" {
            object["config"] = .object(config(node))
            object["params"] = .object(parameters(of: node))
        }
        object["tags"] = node.tags.map { .array($0.map { .string($0) }) }
        return object
    }

    private func connectivity(_ node: EmulatorState.Node) -> JSONValue {
        ["connected": .bool(node.type != "pure_matter"), "timestamp": .int(node.timestamp)]
    }

    func updateNode(_ call: EmulatorCall) throws -> EmulatorResponse {
        let index = try changeable(call.request.text("node_id"), call)
        if let tags = try call.object()["tags"] {
            guard let texts = tags.arrayValue?.compactMap(\.stringValue), texts.count == tags.arrayValue?.count else {
                throw EmulatorFailure.invalidBody
            }
            state.nodes[index].tags = texts
        }
        let old = state.nodes[index].metadata.flatMap { try? JSONValue(parsing: $0) }?.objectValue
        let metadata = merged(old, try call.object()["metadata"])
        state.nodes[index].metadata = metadata.map { JSONValue.object($0).serialized() }
        try save()
        return Self.success("Node updated")
    }

    func changeNodeMapping(_ call: EmulatorCall) throws -> EmulatorResponse {
        let id = try call.text("node_id", orElse: EmulatorFailure(400, 100_009, "Node id is missing"))
        switch try call.object()["operation"]?.stringValue {
        case "remove":
            let index: Int
            do { index = try changeable(id, call) } catch let failure as EmulatorFailure where failure.status == 404 {
                throw EmulatorFailure(400, 100_010, "Node does not belong to the user")
            }
            state.nodes.remove(at: index)
            try save()
            return Self.success("Node removed")
        case "add":
            return Self.success("Mapping initiated", ["request_id": .string(try "map-" + randomName(16))])
        default: throw EmulatorFailure(400, 108_908, "Unknown operation")
        }
    }

    func getNodeStatus(_ call: EmulatorCall) throws -> EmulatorResponse {
        let node = state.nodes[try knownIndex(call)]
        return EmulatorResponse(200, ["connectivity": connectivity(node)])
    }

    func getNodeParams(_ call: EmulatorCall) throws -> EmulatorResponse {
        let node = state.nodes[try knownIndex(call)]
        return EmulatorResponse(200, parameters(of: node))
    }

    /// The present parameters of a node. Those that can only be written are not among them.
    func parameters(of node: EmulatorState.Node) -> JSONObject {
        node.params.flatMap { try? JSONValue(parsing: $0) }?.objectValue
            ?? state.controllers?[node.id]?.initialParameters ?? JSONObject()
    }

    func setNodeParams(_ call: EmulatorCall) throws -> EmulatorResponse {
        let index = try knownIndex(call)
        var params = parameters(of: state.nodes[index])
        for member in try call.object().members {
            var service = params[member.key]?.objectValue ?? JSONObject()
            for entry in member.value.objectValue?.members ?? [] { service[entry.key] = entry.value }
            params[member.key] = .object(service)
        }
        state.nodes[index].params = JSONValue.object(params).serialized()
        try save()
        return Self.success("Parameters updated")
    }

    private func config(_ node: EmulatorState.Node) -> JSONObject {
        [
            "node_id": .string(node.id), "config_version": "2020-03-20", "devices": [],
            "services": state.controllers?[node.id]?.services ?? [],
        ]
    }

    func getNodeConfig(_ call: EmulatorCall) throws -> EmulatorResponse {
        let node = state.nodes[try knownIndex(call)]
        return EmulatorResponse(200, config(node))
    }

    /// These operations answer 400 where the node is not the caller's.
    private func knownIndex(_ call: EmulatorCall) throws -> Int {
        try knownIndex(call.request.text("node_id"), call)
    }

    func knownIndex(_ id: String?, _ call: EmulatorCall) throws -> Int {
        do {
            return try nodeIndex(id, call)
        } catch let failure as EmulatorFailure where failure.status == 404 {
            throw EmulatorFailure(400, 103_020, failure.description)
        }
    }
}
