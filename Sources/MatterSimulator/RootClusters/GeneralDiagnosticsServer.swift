import MatterBase
import MatterModel

/// General Diagnostics (Matter core specification 11.12).
struct GeneralDiagnosticsServer: ClusterServer {
    private typealias Attribute = GeneralDiagnostics.Attribute

    private typealias Command = GeneralDiagnostics.Command

    private static let softwareReset: UInt64 = 1

    let id = GeneralDiagnostics.id
    private let configuration: NodeConfiguration
    private let bootCount: UInt16

    init(_ configuration: NodeConfiguration, bootCount: UInt16) {
        self.configuration = configuration
        self.bootCount = bootCount
    }

    var initialAttributes: [AttributeID: TLVValue] {
        let (interfaceType, interfaceName): (UInt64, String) =
            switch configuration.network {
            case .wifi: (1, "wlan0")
            case .ethernet: (2, "eth0")
            case .thread: (4, "wpan0")
            }
        return [
            Attribute.networkInterfaces: .array(of: [
                .structure([
                    TLVElement(GeneralDiagnostics.NetworkInterface.Field.name, .string(interfaceName)),
                    TLVElement(GeneralDiagnostics.NetworkInterface.Field.isOperational, .bool(true)),
                    TLVElement(GeneralDiagnostics.NetworkInterface.Field.offPremiseServicesReachableIPv4, .null),
                    TLVElement(GeneralDiagnostics.NetworkInterface.Field.offPremiseServicesReachableIPv6, .null),
                    TLVElement(
                        GeneralDiagnostics.NetworkInterface.Field.hardwareAddress,
                        .octets(configuration.hardwareAddress)),
                    TLVElement(GeneralDiagnostics.NetworkInterface.Field.iPv4Addresses, .array([])),
                    TLVElement(GeneralDiagnostics.NetworkInterface.Field.iPv6Addresses, .array([])),
                    TLVElement(GeneralDiagnostics.NetworkInterface.Field.type, .uint(interfaceType)),
                ])
            ]),
            Attribute.rebootCount: .uint(UInt64(bootCount)), Attribute.upTime: .uint(0),
            Attribute.totalOperationalHours: .uint(0), Attribute.bootReason: .uint(Self.softwareReset),
            Attribute.testEventTriggersEnabled: .bool(false),
        ]
    }

    var acceptedCommands: [CommandID] { [Command.testEventTrigger, Command.timeSnapshot] }

    mutating func start(_ context: ClusterContext) {
        context.emit(
            event: GeneralDiagnostics.Event.bootReason,
            [TLVElement(GeneralDiagnostics.BootReasonEvent.Field.bootReason, .uint(Self.softwareReset))])
    }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        let seconds = UInt64(max(0, context.uptime.components.seconds))
        return switch attribute {
        case Attribute.upTime: .uint(seconds)
        case Attribute.totalOperationalHours: .uint(seconds / 3600)
        default: nil
        }
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        // No enable key is ever the right one: there are no test triggers here.
        guard command.id == Command.timeSnapshot else { throw .constraintError }
        let (seconds, attoseconds) = context.uptime.components
        let milliseconds = UInt64(max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000))
        let unix = context.epochMicroseconds.map { $0 / 1000 + 946_684_800_000 }
        return .response(
            Command.timeSnapshotResponse,
            [
                TLVElement(GeneralDiagnostics.TimeSnapshotResponse.Field.systemTimeMs, .uint(milliseconds)),
                TLVElement(GeneralDiagnostics.TimeSnapshotResponse.Field.posixTimeMs, .optional(unix)),
            ])
    }
}
