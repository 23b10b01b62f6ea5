import MatterLedger

/// A controller that is told what to do through its parameters in the cloud, and not through a cluster: the firmware of
/// 2026, and the older one without a Matter server (docs/rainmaker.md).
package struct CloudHub: Sendable, Equatable {
    /// The kind of its firmware, by the service that makes it a controller.
    package enum Kind: String, Sendable, CaseIterable {
        /// `esp.service.matter-controller-setup`: account and set-up are two services.
        case setup
        /// `esp.service.matter-controller`: one service for all, without a Matter server.
        case single
        /// `esp.service.rmaker-controller` alone: it follows RainMaker nodes, and has no part in the Matter fabric.
        case rainmaker

        fileprivate var service: String {
            switch self {
            case .setup: "esp.service.matter-controller-setup"
            case .single: "esp.service.matter-controller"
            case .rainmaker: CloudHub.subscription
            }
        }

        /// The bits of the status that are all set once the controller is ready.
        fileprivate var ready: Int { self == .setup ? 0b1111 : 0b111_1111 }
    }

    /// The commands for a controller of a Matter fabric. The raw value is that of its command parameter.
    package enum Command: Int, Sendable {
        /// Get a certificate with the group's present tag.
        case updateNOC = 1
        /// Read the group's list of devices.
        case updateDeviceList = 2
    }

    private static let authorization = "esp.service.rmaker-user-auth"
    private static let subscription = "esp.service.rmaker-controller"
    /// Services that may keep the group.
    private static let keepers = [
        Kind.setup.service, Kind.single.service, authorization, subscription, "esp.service.groups",
    ]

    private enum Parameter: String {
        case baseURL = "esp.param.base-url"
        case userToken = "esp.param.user-token"
        case tokenStatus = "esp.param.user-token-status"
        case group = "esp.param.rmaker-group-id"
        case otherGroup = "esp.param.group-id"
        case command = "esp.param.matter-ctl-cmd"
        case status = "esp.param.matter-ctl-status"

        /// The firmware's name, for a configuration that does not list the parameter.
        var standardName: String? {
            switch self {
            case .baseURL: "BaseURL"
            case .userToken: "UserToken"
            case .tokenStatus, .otherGroup: nil
            case .group: "RMakerGroupID"
            case .command: "MTCtlCMD"
            case .status: "MTCtlStatus"
            }
        }
    }

    package let kind: Kind
    /// The node's id in the cloud.
    package let nodeID: String
    /// The name that an app gave it, else the id.
    package let name: String
    /// False if the cloud knows that it is not connected.
    package let isConnected: Bool?
    /// The group that the cloud lists it in.
    let listedGroupID: String?
    /// True if it is a Matter device too, which was commissioned.
    let isMatterDevice: Bool
    private let services: [CloudService]
    private var values: JSONObject

    /// - Returns: `nil` if the node is no such controller.
    package init?(_ node: CloudNode) {
        let types = Set(node.services.map(\.type))
        guard let kind = Kind.allCases.first(where: { types.contains($0.service) }) else { return nil }
        self.kind = kind
        nodeID = node.id
        name = node.name ?? node.id
        isConnected = node.isConnected
        listedGroupID = node.groupID
        isMatterDevice = node.type != "rainmaker"
        services = node.services
        values = node.parameters ?? JSONObject()
    }

    /// The same controller with newer values.
    func with(_ values: JSONObject) -> CloudHub {
        var hub = self
        hub.values = values
        return hub
    }

    // MARK: What it says

    private func name(of parameter: Parameter, in service: CloudService) -> String? {
        service.parameters[parameter.rawValue] ?? (service.parameters.isEmpty ? parameter.standardName : nil)
    }

    private func value(_ parameter: Parameter, in type: String) -> JSONValue? {
        guard let service = services.first(where: { $0.type == type }), let name = name(of: parameter, in: service)
        else { return nil }
        return values[service.name]?[name]
    }

    private func groupValue(_ parameter: Parameter, in type: String) -> String? {
        value(parameter, in: type)?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The group that it was given; `nil` for none.
    package var groupID: String? {
        for type in Self.keepers {
            if let text = groupValue(.group, in: type) ?? groupValue(.otherGroup, in: type) { return text }
        }
        return nil
    }

    /// The address of the cloud that it was given.
    package var url: String? {
        (value(.baseURL, in: Self.authorization) ?? value(.baseURL, in: kind.service))?.stringValue
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The bits of its status, if it tells them.
    package var status: Int? { value(.status, in: kind.service)?.integer() }

    /// True once it has its certificate; `nil` if it does not say so.
    package var isReady: Bool? { status.map { $0 & kind.ready == kind.ready } }

    /// True if it has found that its token is of no use.
    var hasBadToken: Bool { value(.tokenStatus, in: Self.authorization)?.integer(as: Int.self) == 3 }

    /// True if the cloud has to be told that it follows the group.
    var wantsSubscription: Bool { services.contains { $0.type == Self.subscription } }

    /// True if it has a certificate of the fabric, as far as is known.
    package func follows(_ group: String) -> Bool {
        kind != .rainmaker && isReady != false && (groupID ?? group) == group
    }

    // MARK: What it is told

    private func message(_ services: [String], _ texts: [(Parameter, JSONValue)]) -> JSONObject {
        var message = JSONObject()
        for service in self.services where services.contains(service.type) {
            var values = JSONObject()
            for (parameter, value) in texts {
                if let name = name(of: parameter, in: service) { values[name] = value }
            }
            if !values.members.isEmpty { message[service.name] = .object(values) }
        }
        return message
    }

    /// The account that it shall use. The token is a secret.
    func account(_ url: BaseURL, _ token: SecretText) -> JSONObject {
        let types = services.contains { $0.type == Self.authorization } ? [Self.authorization] : [kind.service]
        return message(types, [(.baseURL, .string(url.description)), (.userToken, .string(token.revealed))])
    }

    /// The group that it shall follow. One that it has is never changed.
    func group(_ id: String) -> JSONObject {
        guard groupID == nil else { return JSONObject() }
        return message(Self.keepers, [(.group, .string(id)), (.otherGroup, .string(id))])
    }

    /// - Returns: nothing for a controller without commands.
    func command(_ command: Command) -> JSONObject {
        message([kind.service], kind == .rainmaker ? [] : [(.command, .int(Int64(command.rawValue)))])
    }
}
