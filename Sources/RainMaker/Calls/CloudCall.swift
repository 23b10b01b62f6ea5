package import MatterLedger

/// One operation of the cloud's interface with its arguments.
package struct CloudCall: Sendable, Equatable {
    /// The part of the answer that is checked.
    package enum Success: Sendable {
        /// HTTP alone: lists and details have no `status`.
        case document
        /// The body must say `"status": "success"`.
        case status
    }

    /// The name of the operation, for messages; those of the interface description.
    package let operation: String
    package let method: HTTPMethod
    /// Below `/v1`.
    package let path: String
    package let query: [HTTPRequest.QueryItem]
    package let body: JSONObject?
    package let success: Success
    /// True if a repetition does no harm.
    package let isIdempotent: Bool
    /// True if the access token goes with it.
    package let needsToken: Bool
    /// The warning if the call may have had its effect without a proper answer; `nil` if it does no harm.
    package let doubt: Doubt?

    /// An effect that is uncertain.
    package struct Doubt: Sendable, Equatable {
        /// The possible effect.
        package let effect: String
        /// The command that shows whether it did.
        package let check: Hint
    }

    init(
        _ operation: String, _ method: HTTPMethod, _ path: String, query: [(String, String?)] = [],
        body: JSONObject? = nil, success: Success = .status, isIdempotent: Bool? = nil, needsToken: Bool = true,
        doubt: Doubt? = nil
    ) {
        self.operation = operation
        self.method = method
        self.path = path
        self.query = query.compactMap { name, value in value.map { HTTPRequest.QueryItem(name, $0) } }
        self.body = body
        self.success = success
        self.isIdempotent = isIdempotent ?? (method == .get)
        self.needsToken = needsToken
        self.doubt = doubt
    }

    /// The request with its headers; the token is sent bare.
    func request(token: String?) -> HTTPRequest {
        var headers = ["Accept": "application/json"]
        if body != nil { headers["Content-Type"] = "application/json" }
        if let token { headers["Authorization"] = token }
        return HTTPRequest(
            method, "/v1" + path, query: query, headers: headers, body: body.map { JSONValue.object($0).utf8() },
            isIdempotent: isIdempotent)
    }
}

// MARK: - Session

extension CloudCall {
    private static let login2 = "/login2"

    /// Not repeated by itself: attempts are counted against the account.
    static func login(userName: String, password: String) -> CloudCall {
        CloudCall(
            "login", .post, login2, body: ["user_name": .string(userName), "password": .string(password)],
            needsToken: false)
    }

    static func refresh(token: String) -> CloudCall {
        CloudCall(
            "refresh", .post, login2, body: ["refreshtoken": .string(token)], isIdempotent: true, needsToken: false)
    }

    static func logout(all: Bool) -> CloudCall {
        CloudCall("logout", .post, "/logout2", query: [("logout_all", "\(all)")])
    }

    package static func createUser(userName: String, password: String) -> CloudCall {
        CloudCall(
            "createUser", .post, "/user2", body: ["user_name": .string(userName), "password": .string(password)],
            needsToken: false)
    }

    package static func confirmUser(userName: String, code: String) -> CloudCall {
        CloudCall(
            "confirmUser", .post, "/user2",
            body: ["user_name": .string(userName), "verification_code": .string(code)], needsToken: false)
    }

    package static let user = CloudCall("getUser", .get, "/user2", success: .document)
}

// MARK: - Groups

extension CloudCall {
    private static let nodeGroup = "/user/node_group"

    /// G1 and G2: groups with their fabrics, or one of them with its nodes.
    package static func groups(
        _ group: String? = nil, onlyMatter: Bool = true, withNodes: Bool = false, from start: String? = nil,
        count: Int? = nil
    ) -> CloudCall {
        CloudCall(
            "getNodeGroups", .get, nodeGroup,
            query: [
                ("group_id", group), ("is_matter", onlyMatter ? "true" : nil), ("fabric_details", "true"),
                ("node_details", withNodes ? "true" : nil), ("start_id", start), ("num_records", count.map { "\($0)" }),
            ], success: .document)
    }

    /// G3.
    static func createFabric(name: String) -> CloudCall {
        CloudCall(
            "createGroup", .post, nodeGroup, body: ["group_name": .string(name), "is_matter": true],
            doubt: Doubt(effect: "the group '\(name)' may have been created", check: .step("cloud.see-groups")))
    }

    /// G4. May be repeated: the second answer is that it is a fabric already, which is what was wanted.
    package static func convert(_ group: String) -> CloudCall {
        CloudCall("convert", .put, nodeGroup, query: [("group_id", group)], body: ["is_matter": true])
    }

    /// G5. May be repeated: the same key gets the same node id.
    static func userNOC(group: String, csr: String) -> CloudCall {
        CloudCall(
            "userNoc", .put, nodeGroup,
            body: [
                "operation": "add", "csr_type": "user",
                "csr_requests": [["group_id": .string(group), "csr": .string(csr)]],
            ], isIdempotent: true)
    }

    /// G6. An unanswered request leaves only a request id that is never confirmed.
    static func nodeNOC(group: String, csr: String, metadata: JSONObject? = nil) -> CloudCall {
        var body: JSONObject = [
            "operation": "add", "csr_type": "node",
            "csr_requests": [["group_id": .string(group), "csr": .string(csr)]],
        ]
        body["metadata"] = metadata.map { .object($0) }
        return CloudCall("nodeNoc", .put, nodeGroup, body: body)
    }

    /// G7: what a controller device asks for.
    static func controllerNOC(group: String, csr: String, matterNodeID: String) -> CloudCall {
        CloudCall(
            "controllerNoc", .put, nodeGroup,
            body: [
                "operation": "add", "csr_type": "controller",
                "csr_requests": [
                    [
                        "group_id": .string(group), "csr": .string(csr), "role": "secondary",
                        "matter_node_id": .string(matterNodeID),
                    ]
                ],
            ])
    }

    /// G8. What is called challenge is the device's signature.
    package static func confirm(
        group: String, request: String, succeeded: Bool = true, rainmakerNodeID: String? = nil,
        signature: String? = nil, metadata: JSONObject? = nil
    ) -> CloudCall {
        var body: JSONObject = ["request_id": .string(request), "status": succeeded ? "success" : "failure"]
        body["rainmaker_node_id"] = rainmakerNodeID.map { .string($0) }
        body["challenge"] = signature.map { .string($0) }
        body["metadata"] = metadata.map { .object($0) }
        return CloudCall("confirm", .put, nodeGroup, query: [("group_id", group)], body: body)
    }

    /// G9: another name, or metadata with the name, which apps always repeat.
    package static func update(_ group: String, name: String, metadata: JSONObject? = nil) -> CloudCall {
        var body: JSONObject = ["group_name": .string(name)]
        body["group_metadata"] = metadata.map { .object($0) }
        return CloudCall(
            "updateGroup", .put, nodeGroup, query: [("group_id", group)], body: body, isIdempotent: true)
    }

    /// G9: membership.
    package static func change(_ group: String, adding: Bool, nodes: [String]) -> CloudCall {
        CloudCall(
            "updateGroup", .put, nodeGroup, query: [("group_id", group)],
            body: ["operation": adding ? "add" : "remove", "nodes": .array(nodes.map { .string($0) })])
    }

    /// G10.
    package static func delete(_ group: String) -> CloudCall {
        CloudCall(
            "deleteGroup", .delete, nodeGroup, query: [("group_id", group)],
            doubt: Doubt(effect: "the group may have been deleted", check: .step("cloud.see-groups")))
    }

    /// G11.
    package static func registerController(node: String, group: String) -> CloudCall {
        CloudCall(
            "registerController", .put, nodeGroup, query: [("matter_controller", "true")],
            body: ["node_id": .string(node), "group_id": .string(group)])
    }

    /// Makes a controller follow a group: what its firmware needs from 2026 on.
    package static func subscribe(controller node: String, to group: String) -> CloudCall {
        CloudCall(
            "subscribeController", .put,
            "/user/nodes/\(PercentEncoding.encode(node))/groups/\(PercentEncoding.encode(group))/controller",
            body: ["operation": "subscribe"], isIdempotent: true)
    }
}

// MARK: - Nodes

extension CloudCall {
    private static let nodesPath = "/user/nodes"

    package static func nodes(
        _ node: String? = nil, group: String? = nil, from start: String? = nil, count: Int? = nil
    ) -> CloudCall {
        CloudCall(
            "getNodes", .get, nodesPath,
            query: [
                ("node_id", node), ("group_id", group), ("node_details", "true"), ("start_id", start),
                ("num_records", count.map { "\($0)" }),
            ], success: .document)
    }

    package static func updateMetadata(of node: String, _ metadata: JSONObject) -> CloudCall {
        CloudCall(
            "updateNode", .put, nodesPath, query: [("node_id", node)], body: ["metadata": .object(metadata)],
            isIdempotent: true)
    }

    /// Takes a node out of the user's account.
    static func removeMapping(of node: String) -> CloudCall {
        CloudCall(
            "changeNodeMapping", .put, nodesPath + "/mapping",
            body: ["node_id": .string(node), "operation": "remove"])
    }

    package static func status(of node: String) -> CloudCall {
        CloudCall("getNodeStatus", .get, nodesPath + "/status", query: [("node_id", node)], success: .document)
    }

    package static func parameters(of node: String) -> CloudCall {
        CloudCall("getNodeParams", .get, nodesPath + "/params", query: [("node_id", node)], success: .document)
    }

    static func setParameters(of node: String, _ parameters: JSONObject) -> CloudCall {
        CloudCall(
            "setNodeParams", .put, nodesPath + "/params", query: [("node_id", node)], body: parameters,
            isIdempotent: true)
    }
}

// MARK: - Sharing

extension CloudCall {
    private static let sharingPath = "/user/node_group/sharing"
    private static let requestsPath = sharingPath + "/requests"

    package static func sharing(_ group: String? = nil) -> CloudCall {
        CloudCall("getGroupSharing", .get, sharingPath, query: [("group_id", group)], success: .document)
    }

    /// - Parameter name: the group's name, which apps show to the other user.
    package static func share(
        _ group: String, name: String? = nil, with user: String, primary: Bool
    ) -> CloudCall {
        var body: JSONObject = [
            "groups": [.string(group)], "user_name": .string(user), "primary": .bool(primary),
        ]
        body["metadata"] = name.map { ["group_name": .string($0)] }
        return CloudCall(
            "shareGroup", .put, sharingPath, body: body,
            doubt: Doubt(
                effect: "the group may have been offered", check: .step("cloud.see-sent")))
    }

    package static func revoke(_ group: String, from user: String) -> CloudCall {
        CloudCall(
            "revokeGroupSharing", .delete, sharingPath, query: [("groups", group), ("user_name", user)],
            doubt: Doubt(effect: "the access may have been taken away", check: .step("cloud.see-sharing")))
    }

    package static func sharingRequests(
        sent: Bool, from start: String? = nil, user: String? = nil
    ) -> CloudCall {
        CloudCall(
            "getGroupSharingRequests", .get, requestsPath,
            query: [("primary_user", "\(sent)"), ("start_request_id", start), ("start_user_name", user)],
            success: .document)
    }

    package static func answer(_ request: String, accept: Bool) -> CloudCall {
        CloudCall(
            "answerGroupSharingRequest", .put, requestsPath,
            body: ["request_id": .string(request), "accept": .bool(accept)],
            doubt: Doubt(effect: "the answer may have been taken", check: .step("cloud.see-requests")))
    }

    package static func withdraw(_ request: String) -> CloudCall {
        CloudCall("withdrawGroupSharingRequest", .delete, requestsPath, query: [("request_id", request)])
    }
}
