import MatterDataModel
import MatterTLV

/// General Commissioning: the fail-safe (Matter core specification 11.10).
struct GeneralCommissioningServer: ClusterServer {
    typealias Attribute = GeneralCommissioning.Attribute

    private typealias Command = GeneralCommissioning.Command

    private enum ErrorCode: UInt64 {
        case ok, valueOutsideRange, invalidAuthentication, noFailSafe, busyWithOtherAdmin
    }

    private static let bothLocations: UInt64 = 2

    let id = GeneralCommissioning.id
    private let limits: NodeLimits

    init(_ limits: NodeLimits) { self.limits = limits }

    var initialAttributes: [AttributeID: TLVValue] {
        [
            Attribute.breadcrumb: .uint(0),
            Attribute.basicCommissioningInfo: .structure([
                TLVElement(0, .uint(UInt64(limits.failSafe))), TLVElement(1, .uint(UInt64(limits.cumulativeFailSafe))),
            ]),
            Attribute.regulatoryConfig: .uint(Self.bothLocations),
            Attribute.locationCapability: .uint(Self.bothLocations),
            Attribute.supportsConcurrentConnection: .bool(true),
        ]
    }

    var acceptedCommands: [CommandID] {
        [Command.armFailSafe, Command.setRegulatoryConfig, Command.commissioningComplete]
    }
    var persistentAttributes: Set<AttributeID> { [Attribute.regulatoryConfig] }
    var selfCheckedCommands: Set<CommandID> { [Command.setRegulatoryConfig] }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch command.id {
        case Command.armFailSafe:
            return answer(Command.armFailSafeResponse, try arm(command, context))
        case Command.setRegulatoryConfig:
            return answer(Command.setRegulatoryConfigResponse, try setRegulatoryConfig(command, context))
        default:
            return answer(Command.commissioningCompleteResponse, complete(context))
        }
    }

    private func answer(_ response: CommandID, _ code: ErrorCode) -> CommandAnswer {
        .response(response, [TLVElement(0, .uint(code.rawValue)), TLVElement(1, .string(""))])
    }

    private func arm(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> ErrorCode {
        let seconds: UInt16 = try command.unsigned(0)
        let breadcrumb: UInt64 = try command.unsigned(1)
        let node = context.node
        if let armed = node.failSafe {
            guard armed.fabricIndex == context.caller.fabricIndex else { return .busyWithOtherAdmin }
        } else if node.window.isOpen, !context.caller.isPASE {
            // A commissioner on PASE comes before administrators with a fabric.
            return .busyWithOtherAdmin
        }
        guard seconds > 0 else {
            // The end of a fail-safe resets the breadcrumb; the one in the command does not count.
            node.expireFailSafe("disarmed")
            return .ok
        }
        node.armFailSafe(seconds: seconds, fabricIndex: context.caller.fabricIndex)
        context[Attribute.breadcrumb] = .uint(breadcrumb)
        return .ok
    }

    private func setRegulatoryConfig(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> ErrorCode {
        let location: UInt8 = try command.unsigned(0)
        let country = try command.string(1)
        let breadcrumb: UInt64 = try command.unsigned(2)
        guard country.utf8.count == 2 else { throw .constraintError }
        guard location <= 2 else { return .valueOutsideRange }
        context[Attribute.regulatoryConfig] = .uint(UInt64(location))
        context.sibling(BasicInformation.id)?[BasicInformation.Attribute.location] = .string(country)
        context[Attribute.breadcrumb] = .uint(breadcrumb)
        return .ok
    }

    private func complete(_ context: ClusterContext) -> ErrorCode {
        guard let failSafe = context.node.failSafe else { return .noFailSafe }
        guard !context.caller.isPASE, context.caller.fabricIndex == failSafe.fabricIndex else {
            return .invalidAuthentication
        }
        context.node.completeFailSafe()
        return .ok
    }
}
