import MatterCrypto
import MatterModel

/// Espressif's Matter Controller cluster 0x131BFC01: how an app hands a RainMaker account to a controller.
///
/// With a way to a cloud it does what such a controller does: it logs in with the token, looks for the group of its fabric,
/// gets a certificate with the group's tag for a new key, and reads the group's nodes.
///
/// Without one the cloud is out of reach: tokens and the address are kept, and what needs the cloud fails as it would on a
/// device without internet. `cloud on` plays one that accepts every token and knows the controller's fabric; `cloud off`
/// takes it away again.
struct RainMakerControllerServer: ClusterServer {
    private typealias Attribute = RainMakerController.Attribute

    private typealias Command = RainMakerController.Command

    private static let timer = "access-token"
    private static let longestToken = 2047
    /// How long an access token lasts.
    private static let authorization = Duration.seconds(3600)

    let id = RainMakerController.id
    let acceptedCommands: [CommandID] = [
        Command.appendRefreshToken, Command.resetRefreshToken, Command.authorize, Command.updateUserNOC,
        Command.updateDeviceList,
    ]
    let persistentAttributes: Set<AttributeID> = [
        Attribute.refreshToken, Attribute.endpointURL, Attribute.rainmakerGroupId, Attribute.userNOCInstalled,
        Attribute.userNOCFabricIndex,
    ]
    /// A token is a secret, not for the screen.
    let quietAttributes: Set<AttributeID> = [Attribute.refreshToken]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.refreshToken: .string(""), Attribute.refreshTokenVerified: .bool(false),
        Attribute.authorized: .bool(false), Attribute.userNOCInstalled: .bool(false),
        Attribute.endpointURL: .string(""), Attribute.rainmakerGroupId: .string(""),
        Attribute.userNOCFabricIndex: .uint(0),
    ]

    private var hasCloud: Bool
    private let cloud: (any HubCloud)?
    /// Lost with a restart.
    private var accessToken: String?

    /// - Parameters:
    ///   - hasCloud: whether a cloud is played from the start.
    ///   - cloud: the way to a real one.
    init(hasCloud: Bool = false, cloud: (any HubCloud)? = nil) {
        self.hasCloud = hasCloud
        self.cloud = cloud
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let token = context[Attribute.refreshToken]?.text ?? ""
        switch command.id {
        case Command.appendRefreshToken:
            let longer = token + (try command.decoded(as: RainMakerController.AppendRefreshToken.self).refreshToken)
            guard longer.utf8.count <= Self.longestToken else { throw .resourceExhausted }
            context[Attribute.refreshToken] = .string(longer)
        case Command.resetRefreshToken:
            context[Attribute.refreshToken] = .string("")
            context[Attribute.refreshTokenVerified] = .bool(false)
        case Command.authorize:
            context[Attribute.endpointURL] = .string(
                try command.decoded(as: RainMakerController.Authorize.self).endpointURL)
            accessToken = nil
            if let account = account(context) {
                return .later { AccountResult.loggedIn(await account.logIn(token)) }
            }
            authorize(hasCloud && !token.isEmpty, context)
            guard context.bool(Attribute.authorized) else { throw .failure }
        case Command.updateUserNOC:
            if let account = account(context) {
                guard let fabric = context.node.fabrics[context.caller.fabricIndex] else { throw .failure }
                let random = context.random
                return .later { await account.join(fabric.operational, random: random) }
            }
            guard hasCloud, context.bool(Attribute.authorized), context.caller.fabricIndex != 0 else {
                throw .failure
            }
            context[Attribute.rainmakerGroupId] = .string("simulated-group")
            context[Attribute.userNOCFabricIndex] = .number(context.caller.fabricIndex)
            context[Attribute.userNOCInstalled] = .bool(true)
        case Command.updateDeviceList:
            if let account = account(context) {
                guard context.bool(Attribute.userNOCInstalled) else { throw .failure }
                let group = context[Attribute.rainmakerGroupId]?.text ?? ""
                return .later { AccountResult.listed(await account.nodes(of: group)) }
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

    private func account(_ context: ClusterContext) -> SimulatedControllerAccount? {
        cloud.map {
            SimulatedControllerAccount(
                cloud: $0, url: context[Attribute.endpointURL]?.text ?? "", accessToken: accessToken)
        }
    }

    mutating func finish(
        _ result: any ClusterSignal, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch result as? AccountResult {
        case .loggedIn(let token):
            accessToken = token
            authorize(token != nil, context)
            guard token != nil else { throw .failure }
        case .joined(let group, let credentials): try install(credentials, of: group, context)
        case .listed(let nodes?):
            let own = context.node.fabrics[context.caller.fabricIndex]?.operational.nodeID.description
            context.report("device list updated", [("nodes", .number(nodes.filter { $0 != own }.count))])
        case .listed(nil), .failed, nil: throw .failure
        }
        context.markUnsaved()
        return .success
    }

    /// The own node id stays; key and certificate change.
    private func install(
        _ credentials: OperationalCredentials, of group: String, _ context: ClusterContext
    ) throws(ClusterFailure) {
        // The fabric may have gone while the cloud was asked.
        guard var fabric = context.node.fabrics[context.caller.fabricIndex],
            credentials.fabric == fabric.operational.fabric, credentials.nodeID == fabric.operational.nodeID
        else { throw .failure }
        fabric.operational = credentials
        let node = context.node
        node.fabrics[fabric.index] = fabric
        node.effects.append(.closeSessions(fabric: fabric.index, except: context.caller.session))
        node.effects.append(.forgetResumptions(fabric: fabric.index))
        node.fabricsChanged()
        node.unsaved.insert(.fabrics)
        context[Attribute.rainmakerGroupId] = .string(group)
        context[Attribute.userNOCFabricIndex] = .number(fabric.index)
        context[Attribute.userNOCInstalled] = .bool(true)
    }

    // MARK: Without

    private func authorize(_ isAccepted: Bool, _ context: ClusterContext) {
        context[Attribute.refreshTokenVerified] = .bool(isAccepted)
        context[Attribute.authorized] = .bool(isAccepted)
        if isAccepted { context.schedule(Self.timer, after: Self.authorization) } else { context.cancel(Self.timer) }
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        accessToken = nil
        context[Attribute.authorized] = .bool(false)
    }

    mutating func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext) {
        guard context.number(Attribute.userNOCFabricIndex) == fabricIndex else { return }
        context[Attribute.userNOCFabricIndex] = .uint(0)
        context[Attribute.userNOCInstalled] = .bool(false)
        context[Attribute.rainmakerGroupId] = .string("")
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words == ["cloud", "on"] || words == ["cloud", "off"] else { return false }
        hasCloud = words.last == "on"
        return true
    }
}
