package import JSON
import MatterCredentials
import MatterCrypto
package import MatterTLV

/// The way of a virtual controller to a cloud. The device waits for each answer, as real ones do.
package protocol ControllerCloud: Sendable {
    /// - Parameters:
    ///   - url: whole.
    ///   - token: for the Authorization header.
    /// - Returns: the body of a successful answer; `nil` for any other, and if there was none.
    func call(_ method: String, _ url: String, token: String?, body: JSONValue?) -> JSONValue?
}

/// Espressif's Matter Controller cluster 0x131BFC01: how an app hands a RainMaker account to a controller.
///
/// With a way to a cloud it does what such a controller does: it logs in with the token, looks for the group of its fabric,
/// gets a certificate with the group's tag for a new key, and reads the group's nodes.
///
/// Without one the cloud is out of reach: tokens and the address are kept, and what needs the cloud fails as it would on a
/// device without internet. `cloud on` plays one that accepts every token and knows the controller's fabric; `cloud off`
/// takes it away again.
package struct RainMakerControllerServer: ClusterServer {
    private enum Attribute {
        static let refreshToken: UInt32 = 0
        static let refreshTokenVerified: UInt32 = 1
        static let authorized: UInt32 = 2
        static let userNOCInstalled: UInt32 = 3
        static let endpointURL: UInt32 = 4
        static let groupID: UInt32 = 5
        static let fabricIndex: UInt32 = 6
    }

    private enum Command {
        static let appendRefreshToken: UInt32 = 0
        static let resetRefreshToken: UInt32 = 1
        static let authorize: UInt32 = 2
        static let updateUserNOC: UInt32 = 3
        static let updateDeviceList: UInt32 = 4
    }

    private static let timer = "access-token"
    private static let longestToken = 2047
    /// How long an access token lasts.
    private static let authorization = Duration.seconds(3600)

    package let id = ClusterID.rainMakerController
    package let acceptedCommands: [UInt32] = Array(Command.appendRefreshToken...Command.updateDeviceList)
    package let persistentAttributes: Set<UInt32> = [
        Attribute.refreshToken, Attribute.endpointURL, Attribute.groupID, Attribute.userNOCInstalled,
        Attribute.fabricIndex,
    ]
    /// A token is a secret, not for the screen.
    package let quietAttributes: Set<UInt32> = [Attribute.refreshToken]
    package let initialAttributes: [UInt32: TLVValue] = [
        Attribute.refreshToken: .string(""), Attribute.refreshTokenVerified: .bool(false),
        Attribute.authorized: .bool(false), Attribute.userNOCInstalled: .bool(false),
        Attribute.endpointURL: .string(""), Attribute.groupID: .string(""), Attribute.fabricIndex: .uint(0),
    ]

    private var hasCloud: Bool
    private let cloud: (any ControllerCloud)?
    /// Lost with a restart.
    private var accessToken: String?

    /// - Parameters:
    ///   - hasCloud: whether a cloud is played from the start.
    ///   - cloud: the way to a real one.
    package init(hasCloud: Bool = false, cloud: (any ControllerCloud)? = nil) {
        self.hasCloud = hasCloud
        self.cloud = cloud
    }

    package mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let token = context[Attribute.refreshToken]?.text ?? ""
        switch command.id {
        case Command.appendRefreshToken:
            let longer = token + (try command.string(0))
            guard longer.utf8.count <= Self.longestToken else { throw .resourceExhausted }
            context[Attribute.refreshToken] = .string(longer)
        case Command.resetRefreshToken:
            context[Attribute.refreshToken] = .string("")
            context[Attribute.refreshTokenVerified] = .bool(false)
        case Command.authorize:
            context[Attribute.endpointURL] = .string(try command.string(0))
            if cloud != nil {
                logIn(token, context)
            } else {
                authorize(hasCloud && !token.isEmpty, context)
            }
            guard context.bool(Attribute.authorized) else { throw .failure }
        case Command.updateUserNOC:
            if cloud != nil {
                try joinGroup(context)
                break
            }
            guard hasCloud, context.bool(Attribute.authorized), context.caller.fabricIndex != 0 else {
                throw .failure
            }
            context[Attribute.groupID] = .string("simulated-group")
            context[Attribute.fabricIndex] = .number(context.caller.fabricIndex)
            context[Attribute.userNOCInstalled] = .bool(true)
        case Command.updateDeviceList:
            if cloud != nil {
                try listNodes(context)
                break
            }
            guard hasCloud, context.bool(Attribute.authorized), context.bool(Attribute.userNOCInstalled) else {
                throw .failure
            }
            context.report("device list updated")
        default: throw .unsupportedCommand
        }
        context.markUnsaved()
        return .success
    }

    // MARK: With a cloud

    private func call(
        _ method: String, _ path: String, _ body: JSONValue? = nil, _ context: ClusterContext
    ) -> JSONValue? {
        let base = context[Attribute.endpointURL]?.text ?? ""
        return cloud?.call(method, "\(base)/v1\(path)", token: accessToken, body: body)
    }

    private mutating func logIn(_ token: String, _ context: ClusterContext) {
        accessToken = nil
        let answer = token.isEmpty ? nil : call("POST", "/login2", ["refreshtoken": .string(token)], context)
        accessToken = answer?["accesstoken"]?.stringValue
        authorize(accessToken != nil, context)
    }

    /// The own node id stays; key and certificate change.
    private mutating func joinGroup(_ context: ClusterContext) throws(ClusterFailure) {
        guard accessToken != nil, var fabric = context.node.fabrics[context.caller.fabricIndex] else { throw .failure }
        guard let group = try self.group(of: fabric.operational.fabric.fabricID, context) else { throw .failure }
        do {
            let key = try P256PrivateKey.generate(context.random)
            let request: JSONValue = [
                "group_id": .string(group), "csr": .string(try CertificateSigningRequest(key: key).pem),
                "role": "secondary", "matter_node_id": .string(fabric.operational.nodeID.description),
            ]
            let answer = call(
                "PUT", "/user/node_group",
                ["operation": "add", "csr_type": "controller", "csr_requests": .array([request])], context)
            guard let pem = answer?["certificates"]?.arrayValue?.first?["user_noc"]?.stringValue else {
                throw ClusterFailure.failure
            }
            let chain = OperationalChain(
                noc: try MatterCertificate(pem: pem), icac: nil, root: fabric.operational.root)
            let identity = try chain.validate(at: .none)
            let updated = try OperationalCredentials(
                chain: chain, key: key, ipkEpochKey: fabric.operational.ipkEpochKey)
            guard updated.fabric == fabric.operational.fabric, identity.nodeID == fabric.operational.nodeID else {
                throw ClusterFailure.failure
            }
            fabric.operational = updated
        } catch {
            throw .failure
        }
        let node = context.node
        node.fabrics[fabric.index] = fabric
        node.effects.append(.closeSessions(fabric: fabric.index, except: context.caller.session))
        node.effects.append(.forgetResumptions(fabric: fabric.index))
        node.fabricsChanged()
        node.unsaved.insert(.fabrics)
        context[Attribute.groupID] = .string(group)
        context[Attribute.fabricIndex] = .number(fabric.index)
        context[Attribute.userNOCInstalled] = .bool(true)
    }

    /// As many as the firmware asks for at a time.
    private static let groupsPerPage = 4
    private static let mostPages = 250

    private func group(of fabricID: FabricID, _ context: ClusterContext) throws(ClusterFailure) -> String? {
        var start = ""
        for _ in 0..<Self.mostPages {
            let path = "/user/node_group?is_matter=true&num_records=\(Self.groupsPerPage)\(start)"
            guard let page = call("GET", path, nil, context), let groups = page["groups"]?.arrayValue else {
                throw .failure
            }
            let found = groups.first { $0["fabric_id"]?.stringValue?.uppercased() == fabricID.description }
            if let found { return found["group_id"]?.stringValue }
            guard let next = page["next_id"]?.stringValue, !next.isEmpty else { return nil }
            start = "&start_id=\(next)"
        }
        return nil
    }

    private func listNodes(_ context: ClusterContext) throws(ClusterFailure) {
        let group = context[Attribute.groupID]?.text ?? ""
        guard accessToken != nil, context.bool(Attribute.userNOCInstalled) else { throw .failure }
        let path = "/user/node_group?group_id=\(group)&is_matter=true&node_list=true&matter_node_list=true"
        guard let nodes = call("GET", path, nil, context)?["groups"]?.arrayValue?.first?["node_details"]?.arrayValue
        else { throw .failure }
        let own = context.node.fabrics[context.caller.fabricIndex]?.operational.nodeID.description
        let others = nodes.compactMap { $0["matter_node_id"]?.stringValue }.filter { $0.uppercased() != own }
        context.report("device list updated", [("nodes", .number(others.count))])
    }

    // MARK: Without

    private func authorize(_ isAccepted: Bool, _ context: ClusterContext) {
        context[Attribute.refreshTokenVerified] = .bool(isAccepted)
        context[Attribute.authorized] = .bool(isAccepted)
        if isAccepted { context.schedule(Self.timer, after: Self.authorization) } else { context.cancel(Self.timer) }
    }

    package mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        accessToken = nil
        context[Attribute.authorized] = .bool(false)
    }

    package mutating func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext) {
        guard context.number(Attribute.fabricIndex) == fabricIndex else { return }
        context[Attribute.fabricIndex] = .uint(0)
        context[Attribute.userNOCInstalled] = .bool(false)
        context[Attribute.groupID] = .string("")
    }

    package mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words == ["cloud", "on"] || words == ["cloud", "off"] else { return false }
        hasCloud = words.last == "on"
        return true
    }
}
