import MatterCrypto
import MatterSecureChannel
import MatterTLV

/// Administrator Commissioning: opens the window for further administrators (Matter core specification 11.19).
struct AdministratorCommissioningServer: ClusterServer {
    enum Attribute {
        static let windowStatus: UInt32 = 0
        static let fabricIndex: UInt32 = 1
        static let vendorID: UInt32 = 2
    }

    private enum Command {
        static let open: UInt32 = 0
        static let openBasic: UInt32 = 1
        static let revoke: UInt32 = 2
    }

    private enum Status {
        static let busy: UInt8 = 2
        static let pakeParameterError: UInt8 = 3
        static let windowNotOpen: UInt8 = 4
    }

    private static let largestDiscriminator: UInt16 = 0xFFF

    let id = ClusterID.administratorCommissioning

    /// The feature Basic: a window with the device's own passcode.
    var featureMap: UInt32 { 1 }
    var initialAttributes: [UInt32: TLVValue] {
        [Attribute.windowStatus: .uint(0), Attribute.fabricIndex: .null, Attribute.vendorID: .null]
    }
    var acceptedCommands: [UInt32] { [Command.open, Command.openBasic, Command.revoke] }
    var selfCheckedCommands: Set<UInt32> { [Command.open, Command.openBasic] }

    func read(_ attribute: UInt32, _ context: ClusterContext) -> TLVValue? {
        let window = context.node.window
        // With no window of this cluster's the stored values hold: closed, null, null.
        guard window.isOpenedByCluster else { return nil }
        return switch attribute {
        case Attribute.windowStatus: .uint(UInt64(window.mode.rawValue))
        case Attribute.fabricIndex: .optional(window.openerFabric)
        case Attribute.vendorID: .optional(window.openerVendor)
        default: nil
        }
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let node = context.node
        guard command.id != Command.revoke else {
            guard node.window.isOpen else { throw .cluster(Status.windowNotOpen) }
            if node.failSafe != nil { node.expireFailSafe("revoked") }
            node.closeWindow("revoked")
            return .success
        }
        let seconds: UInt16 = try command.unsigned(0)
        guard node.failSafe == nil, !node.window.isOpen else { throw .cluster(Status.busy) }
        guard command.id == Command.open else {
            guard CommissioningWindow.timeouts.contains(seconds) else { throw .invalidCommand }
            node.openWindow(
                .basic, node.configuration.verifier, node.configuration.pbkdf,
                discriminator: node.configuration.discriminator, seconds: seconds, by: context.caller)
            return .success
        }
        let verifier = try command.octets(1)
        let discriminator: UInt16 = try command.unsigned(2)
        let iterations: UInt32 = try command.unsigned(3)
        let salt = try command.octets(4)
        guard PBKDFParameters.iterationRange.contains(Int(iterations)),
            PBKDFParameters.saltLength.contains(salt.count)
        else { throw .cluster(Status.pakeParameterError) }
        guard CommissioningWindow.timeouts.contains(seconds), discriminator <= Self.largestDiscriminator else {
            throw .invalidCommand
        }
        guard let data = try? SPAKE2PlusVerifierData(serialized: verifier) else {
            throw .cluster(Status.pakeParameterError)
        }
        node.openWindow(
            .enhanced, data, PBKDFParameters(iterations: Int(iterations), salt: salt), discriminator: discriminator,
            seconds: seconds, by: context.caller)
        return .success
    }
}
