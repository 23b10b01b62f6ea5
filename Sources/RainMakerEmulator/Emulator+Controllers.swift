import MatterCrypto

/// Controllers of newer firmware: the devices themselves are played here, since their way to the cloud is not the
/// interface of users. What they ask for, they ask for by that interface (docs/rainmaker.md).
extension Emulator {
    /// Adds a controller to a user's account, or makes a device that has not been confirmed yet one.
    ///
    /// - Parameter owner: the user whose account it is in; `nil` for a Matter device, which gets there by its confirmation.
    /// - Returns: false if there is no such user.
    package func addController(_ nodeID: String, _ kind: EmulatorController.Kind, owner: String?) throws -> Bool {
        var user: String?
        if let owner {
            guard let found = state.users.first(where: { $0.name == owner }) else { return false }
            user = found.id
        }
        guard state.controllers?[nodeID] == nil else { return true }
        state.controllers = (state.controllers ?? [:]).merging([nodeID: EmulatorController(kind)]) { $1 }
        if let user {
            var node = EmulatorState.Node(
                id: nodeID, groupID: "", type: "rainmaker", timestamp: options.unixTime() * 1000)
            node.ownerID = user
            state.nodes.append(node)
        }
        try save()
        return true
    }

    /// A controller's handling of parameters that have just been set: it takes the secret out, logs in, gets its
    /// certificate and reads its list of devices.
    func runController(_ nodeID: String, _ change: JSONObject) async {
        guard let controller = state.controllers?[nodeID],
            let index = state.nodes.firstIndex(where: { $0.id == nodeID })
        else { return }
        var values = parameters(of: state.nodes[index])
        let command = change[controller.main]?["MTCtlCMD"]?.integer(as: Int.self)
        if let token = values[controller.authorization]?["UserToken"]?.stringValue {
            state.controllers?[nodeID]?.token = token
            set("UserToken", nil, controller.authorization, &values)
        }
        set("MTCtlCMD", controller.kind == .rainmaker ? nil : -1, controller.main, &values)
        state.nodes[index].params = JSONValue.object(values).serialized()
        guard let access = await logIn(nodeID, values), controller.kind != .rainmaker else { return }
        if state.controllers?[nodeID]?.tag == nil || command == 1 { await getCertificate(nodeID, access) }
        if command == 2 { await readDevices(nodeID, access) }
        do { try save() } catch { options.notice("defect: \(error)") }
    }

    private func set(_ name: String, _ value: JSONValue?, _ service: String, _ values: inout JSONObject) {
        var members = values[service]?.objectValue ?? JSONObject()
        members[name] = value
        values[service] = .object(members)
    }

    /// Writes values of a controller's own.
    private func tell(_ nodeID: String, _ service: String, _ name: String, _ value: JSONValue) {
        guard let index = state.nodes.firstIndex(where: { $0.id == nodeID }) else { return }
        var values = parameters(of: state.nodes[index])
        set(name, value, service, &values)
        state.nodes[index].params = JSONValue.object(values).serialized()
    }

    private func ask(
        _ method: String, _ path: String, query: [String: String] = [:], token: String? = nil, _ body: JSONValue? = nil
    ) async -> JSONValue? {
        let answer = await respond(
            to: EmulatorRequest(method, path, query: query, token: token, body: body?.utf8() ?? []))
        guard answer.status == 200 else { return nil }
        return try? JSONValue(parsing: answer.body)
    }

    /// - Returns: an access token.
    private func logIn(_ nodeID: String, _ values: JSONObject) async -> String? {
        guard let controller = state.controllers?[nodeID], let token = controller.token else { return nil }
        let answer = await ask("POST", "/v1/login2", ["refreshtoken": .string(token)])
        let access = answer?["accesstoken"]?.stringValue
        if controller.kind != .single {
            tell(nodeID, controller.authorization, "UserTokenStatus", access == nil ? 3 : 2)
        }
        setStatus(nodeID)
        return access
    }

    private func setStatus(_ nodeID: String) {
        guard let controller = state.controllers?[nodeID], controller.kind != .rainmaker,
            let node = state.nodes.first(where: { $0.id == nodeID })
        else { return }
        let values = parameters(of: node)
        func isSet(_ service: String, _ name: String) -> Bool { values[service]?[name]?.stringValue?.isEmpty == false }
        var bits = isSet(controller.authorization, "BaseURL") ? 1 : 0
        if controller.token != nil { bits |= 2 }
        let hasGroup = isSet(controller.main, "RMakerGroupID")
        let isReady = controller.tag != nil
        if controller.kind == .setup {
            bits |= (hasGroup ? 4 : 0) | (isReady ? 8 : 0)
        } else {
            bits |= (hasGroup ? 8 : 0) | (isReady ? 0b111_0100 : 0)
        }
        tell(nodeID, controller.main, "MTCtlStatus", .int(Int64(bits)))
    }

    private func getCertificate(_ nodeID: String, _ access: String) async {
        guard let controller = state.controllers?[nodeID], var node = state.nodes.first(where: { $0.id == nodeID }),
            let group = parameters(of: node)[controller.main]?["RMakerGroupID"]?.stringValue, !group.isEmpty
        else { return }
        if node.matterNodeID == nil {
            _ = await ask(
                "PUT", "/v1/user/node_group", query: ["matter_controller": "true"], token: access,
                ["node_id": .string(nodeID), "group_id": .string(group)])
            node = state.nodes.first { $0.id == nodeID } ?? node
        }
        guard let number = node.matterNodeID else { return }
        do {
            let csr = try CertificateSigningRequest(key: try P256PrivateKey.generate(options.random)).pem
            let answer = await ask(
                "PUT", "/v1/user/node_group", token: access,
                [
                    "operation": "add", "csr_type": "controller",
                    "csr_requests": [
                        [
                            "group_id": .string(group), "csr": .string(csr), "role": "primary",
                            "matter_node_id": .string(NodeID(number).description),
                        ]
                    ],
                ])
            guard let pem = answer?["certificates"]?.arrayValue?.first?["user_noc"]?.stringValue else { return }
            let tag = try MatterCertificate(pem: pem).cats.first
            state.controllers?[nodeID]?.tag = tag?.rawValue
            if controller.kind == .single {
                tell(nodeID, controller.main, "MatterNodeID", .string(NodeID(number).description))
            }
            setStatus(nodeID)
            options.notice("controller \(nodeID): certificate with tag \(tag?.description ?? "none")")
        } catch {
            options.notice("controller \(nodeID): no certificate: \(error)")
        }
    }

    private func readDevices(_ nodeID: String, _ access: String) async {
        guard let controller = state.controllers?[nodeID], controller.tag != nil,
            let node = state.nodes.first(where: { $0.id == nodeID }),
            let group = parameters(of: node)[controller.main]?["RMakerGroupID"]?.stringValue
        else { return }
        let answer = await ask(
            "GET", "/v1/user/node_group",
            query: ["group_id": group, "is_matter": "true", "node_list": "true", "matter_node_list": "true"],
            token: access)
        guard let details = answer?["groups"]?.arrayValue?.first?["node_details"]?.arrayValue else { return }
        let others = details.filter { $0["id"]?.stringValue != nodeID && $0["node_id"]?.stringValue != nodeID }
        options.notice("controller \(nodeID): MTCtlCMD 2: device list updated, \(others.count) other nodes")
    }

    /// Makes a controller follow a group.
    func subscribeController(_ call: EmulatorCall) throws -> EmulatorResponse {
        guard try call.text("operation") == "subscribe" else {
            throw EmulatorFailure(400, 108_908, "Unknown operation")
        }
        let parts = call.request.path.split(separator: "/").map { String($0) }
        guard parts.count == 7 else { throw EmulatorFailure.invalidBody }
        let node = try knownIndex(parts[3], call)
        let group: Int
        do { group = try index(of: parts[5], call, needsPrimary: true) } catch let failure as EmulatorFailure {
            throw EmulatorFailure(400, failure.code, failure.description)
        }
        let old = state.nodes[node].groupID
        guard old.isEmpty || old == state.groups[group].id else {
            throw EmulatorFailure(400, 100_010, "Node belongs to another group")
        }
        state.nodes[node].groupID = state.groups[group].id
        try save()
        return Self.success("Controller subscribed")
    }
}
