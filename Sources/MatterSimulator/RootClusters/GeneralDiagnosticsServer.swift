import MatterModel

/// General Diagnostics (Matter core specification 11.12).
struct GeneralDiagnosticsServer: ClusterServer {
    private typealias Attribute = GeneralDiagnostics.Attribute

    private typealias Command = GeneralDiagnostics.Command

    let id = GeneralDiagnostics.id
    private let configuration: NodeConfiguration
    private let bootCount: UInt16

    init(_ configuration: NodeConfiguration, bootCount: UInt16) {
        self.configuration = configuration
        self.bootCount = bootCount
    }

    var initialAttributes: [AttributeID: TLVValue] {
        let (interfaceType, interfaceName): (GeneralDiagnostics.InterfaceType, String) =
            switch configuration.network {
            case .wifi: (.wiFi, "wlan0")
            case .ethernet: (.ethernet, "eth0")
            case .thread: (.thread, "wpan0")
            }
        return [
            Attribute.networkInterfaces: .array(of: [
                GeneralDiagnostics.NetworkInterface(
                    name: interfaceName, isOperational: true, hardwareAddress: configuration.hardwareAddress,
                    iPv4Addresses: [], iPv6Addresses: [], type: interfaceType
                ).tlv
            ]),
            Attribute.rebootCount: .uint(UInt64(bootCount)), Attribute.upTime: .uint(0),
            Attribute.totalOperationalHours: .uint(0),
            Attribute.bootReason: GeneralDiagnostics.BootReason.powerOnReboot.tlv,
            Attribute.testEventTriggersEnabled: .bool(false), Attribute.deviceLoadStatus: .structure([]),
        ]
    }

    var acceptedCommands: [CommandID] { [Command.testEventTrigger, Command.timeSnapshot] }

    mutating func start(_ context: ClusterContext) {
        context.emit(GeneralDiagnostics.BootReasonEvent(bootReason: .powerOnReboot))
    }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        let seconds = UInt64(max(0, context.uptime.components.seconds))
        return switch attribute {
        case Attribute.upTime: .uint(seconds)
        case Attribute.totalOperationalHours: .uint(seconds / 3600)
        case Attribute.deviceLoadStatus: Self.load(context).tlv
        default: nil
        }
    }

    private static func load(_ context: ClusterContext) -> GeneralDiagnostics.DeviceLoad {
        let (load, subscriptions) = (context.node.load, context.node.subscriptions)
        return GeneralDiagnostics.DeviceLoad(
            currentSubscriptions: UInt16(clamping: subscriptions.count),
            currentSubscriptionsForFabric: UInt16(
                clamping: subscriptions.count { $0.fabricIndex == context.caller.fabricIndex }),
            totalSubscriptionsEstablished: load.subscriptionsEstablished,
            totalInteractionModelMessagesSent: load.messagesSent,
            totalInteractionModelMessagesReceived: load.messagesReceived)
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        // No enable key is ever the right one: there are no test triggers here.
        guard command.id == Command.timeSnapshot else { throw .constraintError }
        let (seconds, attoseconds) = context.uptime.components
        let milliseconds = UInt64(max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000))
        let unix = context.epochMicroseconds.map { $0 / 1000 + 946_684_800_000 }
        return .response(GeneralDiagnostics.TimeSnapshotResponse(systemTimeMs: milliseconds, posixTimeMs: unix))
    }
}
