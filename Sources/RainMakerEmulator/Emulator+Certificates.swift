import MatterCrypto

/// Certificates and the confirmation of nodes (docs/rainmaker.md).
extension Emulator {
    enum Kind {
        case user, node, controller
    }

    func issue(_ kind: Kind, _ call: EmulatorCall) throws -> EmulatorResponse {
        let body = try call.object()
        guard body["operation"]?.stringValue == "add",
            ["user", "node", "controller"].contains(body["csr_type"]?.stringValue)
        else { throw EmulatorFailure(400, 108_908, "Unknown operation or csr_type") }
        guard let requests = body["csr_requests"]?.arrayValue, !requests.isEmpty else {
            throw EmulatorFailure.invalidBody
        }
        var certificates: [JSONValue] = []
        let requestID = try "rq-" + randomName(20)
        for request in requests {
            certificates.append(.object(try certificate(kind, request, requestID, call)))
        }
        if kind == .node {
            let metadata = body["metadata"]?.objectValue.map { JSONValue.object($0).serialized() }
            for index in state.pending.indices where state.pending[index].id == requestID {
                state.pending[index].metadata = metadata
            }
        }
        try save()
        var more: JSONObject = ["certificates": .array(certificates)]
        if kind == .node { more["request_id"] = .string(requestID) }
        return Self.success("NOC issued", more)
    }

    private func certificate(
        _ kind: Kind, _ request: JSONValue, _ requestID: String, _ call: EmulatorCall
    ) throws -> JSONObject {
        let index = try index(of: request["group_id"]?.stringValue, call, needsPrimary: kind != .user)
        let group = state.groups[index]
        guard let fabric = group.fabric, let member = group.members[call.userID] else {
            throw EmulatorFailure(400, 108_900, "Group is not a Matter fabric")
        }
        let csr: CertificateSigningRequest
        do { csr = try CertificateSigningRequest(pem: request["csr"]?.stringValue ?? "") } catch {
            throw EmulatorFailure(400, 108_901, "CSR is not valid")
        }
        var answer: JSONObject = ["group_id": .string(group.id)]
        switch kind {
        case .user:
            let tag = CASEAuthenticatedTag(member.isPrimary ? fabric.adminCAT : fabric.operateCAT)
            let nodeID = try userID(of: member, csr.publicKey, index, call)
            let noc = try issue(fabric, group.id, nodeID, tag, csr.publicKey)
            answer["matter_user_id"] = .string(text(nodeID.rawValue))
            answer["user_noc"] = .string(try noc.pem())
        case .controller:
            guard let text = request["matter_node_id"]?.stringValue, let nodeID = NodeID(hex: text),
                nodeID.isOperational
            else { throw EmulatorFailure.invalidBody }
            guard state.nodes.contains(where: { $0.groupID == group.id && $0.matterNodeID == nodeID.rawValue }) else {
                throw EmulatorFailure(400, 100_010, "Node does not belong to the group")
            }
            let isPrimary = request["role"]?.stringValue == "primary"
            let tag = CASEAuthenticatedTag(isPrimary ? fabric.adminCAT : fabric.operateCAT)
            let noc = try issue(fabric, group.id, nodeID, tag, csr.publicKey)
            answer["user_noc"] = .string(try noc.pem())
        case .node:
            let nodeID = NodeID(try randomNodeID())
            let noc = try issue(fabric, group.id, nodeID, nil, csr.publicKey)
            let now = options.unixTime()
            state.pending.removeAll { $0.expires <= now }
            state.pending.append(
                EmulatorState.Pending(
                    id: requestID, groupID: group.id, userID: call.userID, matterNodeID: nodeID.rawValue,
                    expires: now + options.requestLife))
            answer["matter_node_id"] = .string(text(nodeID.rawValue))
            answer["node_noc"] = .string(try noc.pem())
        }
        return answer
    }

    /// The node id of a user: one for the group, or one for each of his keys.
    private func userID(
        of member: EmulatorState.Member, _ key: P256PublicKey, _ group: Int, _ call: EmulatorCall
    ) throws -> NodeID {
        guard options.userIDPerKey else { return NodeID(member.matterUserID) }
        let name = Hex.encode(key.x963)
        if let known = member.keyedIDs?[name] { return NodeID(known) }
        let new = try randomNodeID()
        state.groups[group].members[call.userID]?.keyedIDs = (member.keyedIDs ?? [:]).merging([name: new]) { $1 }
        return NodeID(new)
    }

    private func issue(
        _ fabric: EmulatorState.Fabric, _ group: String, _ nodeID: NodeID, _ tag: CASEAuthenticatedTag?,
        _ key: P256PublicKey
    ) throws -> MatterCertificate {
        let authority = EmulatorAuthority(
            fabricID: FabricID(fabric.id), key: try rootKey(of: group),
            root: try MatterCertificate(tlv: Hex.decode(fabric.root)))
        let kinds = Set(acting.map(\.kind))
        var faults = EmulatorAuthority.Faults()
        if kinds.contains(.wrongFabric) { faults.fabricID = try FabricID.random(options.random) }
        if kinds.contains(.wrongKey) { faults.publicKey = try P256PrivateKey.generate(options.random).publicKey }
        if kinds.contains(.unsigned) { faults.signer = try P256PrivateKey.generate(options.random) }
        faults.isExpired = kinds.contains(.expired)
        faults.isNotBackdated = kinds.contains(.notBackdated)
        faults.isNotYetValid = kinds.contains(.notYetValid)
        return try authority.issue(
            nodeID: kinds.contains(.wrongNode) ? NodeID(try randomNodeID()) : nodeID,
            cat: tag.map { misshaped($0, kinds) }, publicKey: key, now: matterTime, faults: faults,
            random: options.random)
    }

    private func misshaped(_ tag: CASEAuthenticatedTag, _ kinds: Set<EmulatorFault.Kind>) -> CASEAuthenticatedTag {
        CASEAuthenticatedTag(
            identifier: kinds.contains(.wrongCAT) ? 0x0AAA : tag.identifier,
            version: kinds.contains(.newerCAT) ? tag.version + 1 : tag.version)
    }

    // MARK: Confirmation

    func confirm(_ call: EmulatorCall) throws -> EmulatorResponse {
        let body = try call.object()
        let group = state.groups[try index(of: call.request.text("group_id"), call, needsPrimary: true)]
        let requestID = try call.text("request_id")
        let now = options.unixTime()
        state.pending.removeAll { $0.expires <= now }
        guard let pending = state.pending.first(where: { $0.id == requestID && $0.groupID == group.id }) else {
            throw EmulatorFailure(400, 108_903, "Request id is unknown or has expired")
        }
        switch body["status"]?.stringValue {
        case "failure":
            state.pending.removeAll { $0.id == requestID }
            try save()
            return Self.success("Request discarded", ["is_rainmaker_node": false])
        case "success": break
        default: throw EmulatorFailure.invalidBody
        }
        let rainmakerID = body["rainmaker_node_id"]?.stringValue
        if let rainmakerID { try verify(body, rainmakerID, pending) }
        let metadata = merged(pending.metadata.flatMap { try? JSONValue(parsing: $0) }?.objectValue, body["metadata"])
        let node = EmulatorState.Node(
            id: try rainmakerID ?? randomName(22), groupID: group.id, matterNodeID: pending.matterNodeID,
            type: rainmakerID == nil ? "pure_matter" : "rainmaker_matter",
            metadata: metadata.map { JSONValue.object($0).serialized() }, timestamp: now * 1000)
        state.nodes.removeAll { $0.id == node.id }
        state.nodes.append(node)
        state.pending.removeAll { $0.id == requestID }
        try save()
        return Self.success(
            "Node commissioning confirmed", ["is_rainmaker_node": .bool(rainmakerID != nil)])
    }

    /// The device proves that it is the RainMaker node it names: it signed its operational node id.
    private func verify(_ body: JSONObject, _ rainmakerID: String, _ pending: EmulatorState.Pending) throws {
        let refusal = EmulatorFailure(400, 108_904, "Challenge verification failed")
        guard !rainmakerID.isEmpty, rainmakerID.utf8.count <= 40 else { throw EmulatorFailure.invalidBody }
        guard let hex = (body["challenge"] ?? body["challenge_response"])?.stringValue else { throw refusal }
        guard let registered = state.devices[rainmakerID] else {
            guard options.acceptsUnknownDevices else { throw refusal }
            return
        }
        let key = try P256PublicKey(x963: try Hex.decode(registered))
        let message = Array(text(pending.matterNodeID).utf8)
        guard let der = try? Hex.decode(hex), let signature = try? ECDSASignature.derToRaw(der),
            key.isValidSignature(signature, for: message)
        else { throw refusal }
    }

    /// A bare `nil` would be JSON's null.
    private func present(_ value: JSONValue) -> JSONValue? { value.isNull ? Optional.none : value }

    /// Merged on all levels like the shadow of a device: null removes a member, arrays are replaced. An object where there
    /// was none is kept as it comes.
    func merged(_ old: JSONObject?, _ change: JSONValue?) -> JSONObject? {
        guard let change = change?.objectValue else { return old }
        var result = old ?? JSONObject()
        for member in change.members {
            if case .object = member.value, let before = result[member.key]?.objectValue, !options.replacesMetadata {
                result[member.key] = .object(merged(before, member.value) ?? before)
            } else {
                result[member.key] = present(member.value)
            }
        }
        return result
    }

    func registerController(_ call: EmulatorCall) throws -> EmulatorResponse {
        let nodeID = try call.text("node_id", orElse: EmulatorFailure(400, 100_009, "Node id is missing"))
        let index = try index(of: try call.object()["group_id"]?.stringValue, call, needsPrimary: true)
        guard state.groups[index].fabric != nil else {
            throw EmulatorFailure(400, 108_900, "Group is not a Matter fabric")
        }
        // Only what is in the caller's account already, and in no other group.
        let node = try knownIndex(nodeID, call)
        guard ["", state.groups[index].id].contains(state.nodes[node].groupID) else {
            throw EmulatorFailure(400, 100_010, "Node belongs to another group")
        }
        let number = try state.nodes[node].matterNodeID ?? randomNodeID()
        state.nodes[node].groupID = state.groups[index].id
        state.nodes[node].matterNodeID = number
        try save()
        return Self.success("Controller registered", ["matter_node_id": .string(text(number))])
    }
}
