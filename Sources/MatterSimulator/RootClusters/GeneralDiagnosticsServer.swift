import MatterTLV

/// General Diagnostics (Matter core specification 11.12).
struct GeneralDiagnosticsServer: ClusterServer {
    private enum Attribute {
        static let networkInterfaces: UInt32 = 0
        static let rebootCount: UInt32 = 1
        static let upTime: UInt32 = 2
        static let operationalHours: UInt32 = 3
        static let bootReason: UInt32 = 4
        static let testEventTriggers: UInt32 = 8
    }

    private enum Command {
        static let testEventTrigger: UInt32 = 0
        static let timeSnapshot: UInt32 = 1
    }

    private static let softwareReset: UInt64 = 1

    let id = ClusterID.generalDiagnostics
    private let configuration: NodeConfiguration
    private let bootCount: UInt16

    init(_ configuration: NodeConfiguration, bootCount: UInt16) {
        self.configuration = configuration
        self.bootCount = bootCount
    }

    var initialAttributes: [UInt32: TLVValue] {
        let interfaceType: UInt64 = configuration.network == .wifi ? 1 : 2
        return [
            Attribute.networkInterfaces: .array(of: [
                .structure([
                    TLVElement(0, .string(configuration.network == .wifi ? "wlan0" : "eth0")),
                    TLVElement(1, .bool(true)), TLVElement(2, .null), TLVElement(3, .null),
                    TLVElement(4, .octets(configuration.hardwareAddress)), TLVElement(5, .array([])),
                    TLVElement(6, .array([])), TLVElement(7, .uint(interfaceType)),
                ])
            ]),
            Attribute.rebootCount: .uint(UInt64(bootCount)), Attribute.upTime: .uint(0),
            Attribute.operationalHours: .uint(0), Attribute.bootReason: .uint(Self.softwareReset),
            Attribute.testEventTriggers: .bool(false),
        ]
    }

    var acceptedCommands: [UInt32] { [Command.testEventTrigger, Command.timeSnapshot] }

    mutating func start(_ context: ClusterContext) {
        context.emit(event: 3, [TLVElement(0, .uint(Self.softwareReset))])
    }

    func read(_ attribute: UInt32, _ context: ClusterContext) -> TLVValue? {
        let seconds = UInt64(max(0, context.uptime.components.seconds))
        return switch attribute {
        case Attribute.upTime: .uint(seconds)
        case Attribute.operationalHours: .uint(seconds / 3600)
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
        return .response(2, [TLVElement(0, .uint(milliseconds)), TLVElement(1, .optional(unix))])
    }
}
