import JSON

/// A request as the emulator sees it.
package struct EmulatorRequest: Sendable {
    package var method: String
    /// With the version: `/v1/login2`.
    package var path: String
    package var query: [String: String]
    /// The value of the Authorization header.
    package var token: String?
    package var body: [UInt8]

    package init(
        _ method: String, _ path: String, query: [String: String] = [:], token: String? = nil, body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.token = token
        self.body = body
    }

    /// True if another version of the interface is asked for.
    var isOtherVersion: Bool {
        guard let version = path.split(separator: "/").first, version.first == "v", version != "v1" else {
            return false
        }
        return version.count > 1 && version.dropFirst().allSatisfy(\.isWholeNumber)
    }

    func flag(_ name: String) -> Bool { query[name]?.lowercased() == "true" }

    func text(_ name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0 } }
}

/// An answer of the emulator.
package struct EmulatorResponse: Sendable, Equatable {
    package var status: Int
    package var body: [UInt8]
    /// True if the connection ends before the body is complete.
    package var isCutOff = false
    package var headers: [String: String] = [:]

    init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    init(_ status: Int, _ object: JSONObject) {
        self.init(status: status, body: JSONValue.object(object).utf8())
    }
}

/// A refusal in the cloud's error format.
struct EmulatorFailure: Error {
    var status: Int
    var code: Int?
    var description: String

    init(_ status: Int, _ code: Int?, _ description: String) {
        self.status = status
        self.code = code
        self.description = description
    }

    static let invalidBody = EmulatorFailure(400, 100_006, "Invalid request body")
    static let noRights = EmulatorFailure(403, 108_902, "No rights on this group")
    static let unknownGroup = EmulatorFailure(404, 108_906, "Group not found")
}

/// The operations of the interface, by the names of its description.
package enum EmulatorOperation: String, Sendable, CaseIterable {
    case apiVersions, login, refresh, logout, getUser, createUser, confirmUser
    case changePassword, forgotPassword, deleteUser
    case getNodeGroups, createGroup, convert, userNoc, nodeNoc, controllerNoc, confirm, updateGroup, deleteGroup
    case registerController, subscribeController
    case getNodes, updateNode, changeNodeMapping, getNodeStatus, getNodeParams, setNodeParams, getNodeConfig
    case getGroupSharing, shareGroup, revokeGroupSharing
    case getGroupSharingRequests, answerGroupSharingRequest, withdrawGroupSharingRequest

    var needsToken: Bool {
        switch self {
        case .apiVersions, .login, .refresh, .createUser, .confirmUser, .forgotPassword: false
        default: true
        }
    }

    /// The operation of a request; one path has many meanings (docs/rainmaker.md).
    init?(_ request: EmulatorRequest, body: JSONObject?) {
        switch (request.method, request.path) {
        case ("GET", "/apiversions"): self = .apiVersions
        case ("POST", "/v1/login2"): self = body?["refreshtoken"] != nil ? .refresh : .login
        case ("POST", "/v1/logout2"): self = .logout
        case ("GET", "/v1/user2"), ("GET", "/v1/user"): self = .getUser
        case ("POST", "/v1/user2"): self = body?["verification_code"] != nil ? .confirmUser : .createUser
        case ("DELETE", "/v1/user2"): self = .deleteUser
        case ("PUT", "/v1/password2"): self = .changePassword
        case ("PUT", "/v1/forgotpassword2"): self = .forgotPassword
        case ("GET", "/v1/user/node_group"): self = .getNodeGroups
        case ("POST", "/v1/user/node_group"): self = .createGroup
        case ("PUT", "/v1/user/node_group"): self = Self.group(request, body)
        case ("DELETE", "/v1/user/node_group"): self = .deleteGroup
        case ("GET", "/v1/user/nodes"): self = .getNodes
        case ("PUT", "/v1/user/nodes"): self = .updateNode
        case ("PUT", "/v1/user/nodes/mapping"): self = .changeNodeMapping
        case ("GET", "/v1/user/nodes/status"): self = .getNodeStatus
        case ("GET", "/v1/user/nodes/params"): self = .getNodeParams
        case ("PUT", "/v1/user/nodes/params"): self = .setNodeParams
        case ("GET", "/v1/user/nodes/config"): self = .getNodeConfig
        case ("GET", "/v1/user/node_group/sharing"): self = .getGroupSharing
        case ("PUT", "/v1/user/node_group/sharing"): self = .shareGroup
        case ("DELETE", "/v1/user/node_group/sharing"): self = .revokeGroupSharing
        case ("GET", "/v1/user/node_group/sharing/requests"): self = .getGroupSharingRequests
        case ("PUT", "/v1/user/node_group/sharing/requests"): self = .answerGroupSharingRequest
        case ("DELETE", "/v1/user/node_group/sharing/requests"): self = .withdrawGroupSharingRequest
        case ("PUT", let path) where Self.isMembership(path): self = .subscribeController
        default: return nil
        }
    }

    /// `/v1/user/nodes/NODE/groups/GROUP/controller`
    private static func isMembership(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 8 && path.hasPrefix("/v1/user/nodes/") && parts[5] == "groups"
            && parts[7] == "controller" && !parts.dropFirst().contains("")
    }

    private static func group(_ request: EmulatorRequest, _ body: JSONObject?) -> EmulatorOperation {
        if request.flag("matter_controller") { return .registerController }
        if body?["csr_requests"] != nil {
            switch body?["csr_type"]?.stringValue {
            case "node": return .nodeNoc
            case "controller": return .controllerNoc
            default: return .userNoc
            }
        }
        if body?["request_id"] != nil { return .confirm }
        if body?["is_matter"] != nil { return .convert }
        return .updateGroup
    }
}
