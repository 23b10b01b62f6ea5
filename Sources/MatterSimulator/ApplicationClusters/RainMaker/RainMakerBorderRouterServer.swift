import MatterCrypto
import MatterModel

/// Espressif's older cluster 0x131BFC02 of Thread border routers: an app hands over the operational dataset of a network
/// and has the router start and stop it. There is no radio: the network is started in name only.
///
/// Neither lengths nor answers to bad values are published; this one takes what can be a dataset, hexadecimal digits of
/// 1 to 254 bytes, and starts no network without one.
struct RainMakerBorderRouterServer: ClusterServer {
    private typealias Attribute = RainMakerThreadBorderRouter.Attribute

    private typealias Command = RainMakerThreadBorderRouter.Command

    /// Octets (Thread specification, 8.10.1).
    private static let datasetLengths = 1...254
    private static let agentIDLength = 16

    let id = RainMakerThreadBorderRouter.id
    let acceptedCommands: [CommandID] = [
        Command.configureThreadDataset, Command.startThreadNetwork, Command.stopThreadNetwork,
    ]
    let persistentAttributes: Set<AttributeID> = [Attribute.activeOperationalDataset]
    /// A dataset has the network's key in it, which is not for the screen.
    let quietAttributes: Set<AttributeID> = [Attribute.activeOperationalDataset]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.activeOperationalDataset: .octets([]), Attribute.borderAgentId: .octets([]),
    ]

    init() {}

    /// The agent's id comes from that of the device, which is the same for ever.
    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard attribute == Attribute.borderAgentId else { return nil }
        return .octets(Array(SHA256.hash(Array(context.node.configuration.uniqueID.utf8)).prefix(Self.agentIDLength)))
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch command.id {
        case Command.configureThreadDataset:
            guard
                let dataset = try? Hex.decode(
                    try command.decoded(as: RainMakerThreadBorderRouter.ConfigureThreadDataset.self).dataset),
                Self.datasetLengths.contains(dataset.count)
            else { throw .constraintError }
            context[Attribute.activeOperationalDataset] = .octets(dataset)
            context.markUnsaved()
            context.report("dataset of \(dataset.count) bytes")
        case Command.startThreadNetwork:
            guard context[Attribute.activeOperationalDataset] != .octets([]) else { throw .failure }
            context.report("thread network started")
        case Command.stopThreadNetwork: context.report("thread network stopped")
        default: throw .unsupportedCommand
        }
        return .success
    }
}
