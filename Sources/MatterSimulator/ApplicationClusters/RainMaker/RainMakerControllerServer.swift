package import MatterTLV

/// Espressif's Matter Controller cluster 0x131BFC01: how an app hands a RainMaker account to a controller.
///
/// The cloud behind it is out of reach: tokens and the address are kept, and what needs the cloud fails as it would on a
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

    /// - Parameter hasCloud: whether a cloud is played from the start.
    package init(hasCloud: Bool = false) { self.hasCloud = hasCloud }

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
            authorize(hasCloud && !token.isEmpty, context)
            guard context.bool(Attribute.authorized) else { throw .failure }
        case Command.updateUserNOC:
            guard hasCloud, context.bool(Attribute.authorized), context.caller.fabricIndex != 0 else {
                throw .failure
            }
            context[Attribute.groupID] = .string("simulated-group")
            context[Attribute.fabricIndex] = .number(context.caller.fabricIndex)
            context[Attribute.userNOCInstalled] = .bool(true)
        case Command.updateDeviceList:
            guard hasCloud, context.bool(Attribute.authorized), context.bool(Attribute.userNOCInstalled) else {
                throw .failure
            }
            context.report("device list updated")
        default: throw .unsupportedCommand
        }
        return .success
    }

    private func authorize(_ isAccepted: Bool, _ context: ClusterContext) {
        context[Attribute.refreshTokenVerified] = .bool(isAccepted)
        context[Attribute.authorized] = .bool(isAccepted)
        if isAccepted { context.schedule(Self.timer, after: Self.authorization) } else { context.cancel(Self.timer) }
    }

    package mutating func timerFired(_ timer: String, _ context: ClusterContext) {
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
