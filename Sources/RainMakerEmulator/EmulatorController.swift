import JSON

/// The form of a controller of newer firmware in the cloud: its services and parameters (docs/rainmaker.md).
package struct EmulatorController: Codable, Sendable {
    /// By the service that makes it a controller.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case setup, single, rainmaker
    }

    package var kind: Kind
    /// The refresh token that it was given, which it never shows.
    var token: String?
    /// The tag of its certificate, once it has one.
    var tag: UInt32?

    package init(_ kind: Kind) { self.kind = kind }

    private static let read: JSONValue = ["read"]
    private static let write: JSONValue = ["write"]
    private static let both: JSONValue = ["read", "write"]

    private static func service(
        _ name: String, _ type: String, _ parameters: [(String, String, JSONValue)]
    ) -> JSONValue {
        let list = parameters.map { name, type, properties -> JSONValue in
            let isNumber = name == "MTCtlCMD" || name.hasSuffix("Status")
            return [
                "name": .string(name), "type": .string("esp.param.\(type)"),
                "data_type": isNumber ? "int" : "string", "properties": properties,
            ]
        }
        return ["name": .string(name), "type": .string("esp.service.\(type)"), "params": .array(list)]
    }

    private static let account: [(String, String, JSONValue)] = [
        ("BaseURL", "base-url", both), ("UserToken", "user-token", write),
    ]
    private static let group: (String, String, JSONValue) = ("RMakerGroupID", "rmaker-group-id", both)
    private static let commands: [(String, String, JSONValue)] = [
        ("MTCtlCMD", "matter-ctl-cmd", write), ("MTCtlStatus", "matter-ctl-status", read),
    ]

    /// The services of its configuration.
    var services: JSONValue {
        let authorization = Self.service(
            "RMUserAuth", "rmaker-user-auth", Self.account + [("UserTokenStatus", "user-token-status", Self.read)])
        return switch kind {
        case .setup:
            [
                authorization, Self.service("MatterCTLSetup", "matter-controller-setup", [Self.group] + Self.commands),
                Self.service("Groups", "groups", [("GroupID", "group-id", Self.both)]),
            ]
        case .single:
            [
                Self.service(
                    "MatterCTL", "matter-controller",
                    Self.account + [Self.group, ("MatterNodeID", "matter-node-id", Self.read)] + Self.commands)
            ]
        case .rainmaker:
            [authorization, Self.service("RMCTL", "rmaker-controller", [("GroupID", "group-id", Self.both)])]
        }
    }

    /// The service that it takes commands and the group by.
    var main: String {
        switch kind {
        case .setup: "MatterCTLSetup"
        case .single: "MatterCTL"
        case .rainmaker: "RMCTL"
        }
    }

    var authorization: String { kind == .single ? main : "RMUserAuth" }

    /// The values before anybody sets one.
    var initialParameters: JSONObject {
        var parameters: JSONObject = [:]
        for service in services.arrayValue ?? [] {
            var values = JSONObject()
            for parameter in service["params"]?.arrayValue ?? [] {
                let name = parameter["name"]?.stringValue ?? ""
                guard name != "UserToken" else { continue }
                let first: JSONValue = name == "MTCtlCMD" ? -1 : 0
                values[name] = parameter["data_type"] == "int" ? first : ""
            }
            parameters[service["name"]?.stringValue ?? ""] = .object(values)
        }
        return parameters
    }
}
