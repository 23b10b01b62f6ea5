import MatterNetwork

/// Administrator Commissioning: opens the window for further administrators (Matter core specification 11.19).
struct AdministratorCommissioningServer: ClusterServer {
    typealias Attribute = AdministratorCommissioning.Attribute

    private typealias Command = AdministratorCommissioning.Command

    private typealias Status = AdministratorCommissioning.StatusCode

    private static let largestDiscriminator: UInt16 = 0xFFF

    let id = AdministratorCommissioning.id

    /// The feature Basic: a window with the device's own passcode.
    var featureMap: FeatureMap { AdministratorCommissioning.Feature.basic }
    var initialAttributes: [AttributeID: TLVValue] {
        [Attribute.windowStatus: .uint(0), Attribute.adminFabricIndex: .null, Attribute.adminVendorId: .null]
    }
    var acceptedCommands: [CommandID] {
        [Command.openCommissioningWindow, Command.openBasicCommissioningWindow, Command.revokeCommissioning]
    }
    var selfCheckedCommands: Set<CommandID> { [Command.openCommissioningWindow, Command.openBasicCommissioningWindow] }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        let window = context.node.window
        // With no window of this cluster's the stored values hold: closed, null, null.
        guard window.isOpenedByCluster else { return nil }
        return switch attribute {
        case Attribute.windowStatus: window.mode.tlv
        case Attribute.adminFabricIndex: .optional(window.openerFabric)
        case Attribute.adminVendorId: .optional(window.openerVendor)
        default: nil
        }
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let node = context.node
        guard command.id != Command.revokeCommissioning else {
            guard node.window.isOpen else { throw .cluster(Status.windowNotOpen.rawValue) }
            if node.failSafe != nil { node.expireFailSafe("revoked") }
            node.closeWindow("revoked")
            return .success
        }
        guard node.failSafe == nil, !node.window.isOpen else { throw .cluster(Status.busy.rawValue) }
        guard command.id == Command.openCommissioningWindow else {
            let request: AdministratorCommissioning.OpenBasicCommissioningWindow = try command.decoded()
            let seconds = request.commissioningTimeout
            guard CommissioningWindow.timeouts.contains(seconds) else { throw .invalidCommand }
            node.openWindow(
                .basicWindowOpen, node.configuration.verifier, node.configuration.pbkdf,
                discriminator: node.configuration.discriminator, seconds: seconds, by: context.caller)
            return .success
        }
        let request: AdministratorCommissioning.OpenCommissioningWindow = try command.decoded()
        let (seconds, discriminator) = (request.commissioningTimeout, request.discriminator)
        let (iterations, salt) = (request.iterations, request.salt)
        guard PBKDFParameters.iterationRange.contains(Int(iterations)),
            PBKDFParameters.saltLength.contains(salt.count)
        else { throw .cluster(Status.pakeParameterError.rawValue) }
        guard CommissioningWindow.timeouts.contains(seconds), discriminator <= Self.largestDiscriminator else {
            throw .invalidCommand
        }
        guard let data = try? SPAKE2PlusVerifierData(serialized: request.pakePasscodeVerifier) else {
            throw .cluster(Status.pakeParameterError.rawValue)
        }
        node.openWindow(
            .enhancedWindowOpen, data, PBKDFParameters(iterations: Int(iterations), salt: salt),
            discriminator: discriminator,
            seconds: seconds, by: context.caller)
        return .success
    }
}
