import MatterTLV

/// General Commissioning: the fail-safe (Matter core specification 11.10).
struct GeneralCommissioningServer: ClusterServer {
    private enum Command {
        static let armFailSafe: UInt32 = 0
        static let setRegulatoryConfig: UInt32 = 2
        static let commissioningComplete: UInt32 = 4
    }

    private enum ErrorCode: UInt64 {
        case ok, valueOutsideRange, invalidAuthentication, noFailSafe, busyWithOtherAdmin
    }

    private static let bothLocations: UInt64 = 2
    private static let breadcrumb: UInt32 = 0
    private static let regulatoryConfig: UInt32 = 2

    let id = ClusterID.generalCommissioning
    private let limits: NodeLimits

    init(_ limits: NodeLimits) { self.limits = limits }

    var initialAttributes: [UInt32: TLVValue] {
        [
            Self.breadcrumb: .uint(0),
            1: .structure([
                TLVElement(0, .uint(UInt64(limits.failSafe))), TLVElement(1, .uint(UInt64(limits.cumulativeFailSafe))),
            ]),
            Self.regulatoryConfig: .uint(Self.bothLocations), 3: .uint(Self.bothLocations), 4: .bool(true),
        ]
    }

    var acceptedCommands: [UInt32] {
        [Command.armFailSafe, Command.setRegulatoryConfig, Command.commissioningComplete]
    }
    var persistentAttributes: Set<UInt32> { [Self.regulatoryConfig] }
    var selfCheckedCommands: Set<UInt32> { [Command.setRegulatoryConfig] }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch command.id {
        case Command.armFailSafe:
            return answer(1, try arm(command, context))
        case Command.setRegulatoryConfig:
            return answer(3, try setRegulatoryConfig(command, context))
        default:
            return answer(5, complete(context))
        }
    }

    private func answer(_ response: UInt32, _ code: ErrorCode) -> CommandAnswer {
        .response(response, [TLVElement(0, .uint(code.rawValue)), TLVElement(1, .string(""))])
    }

    private func arm(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> ErrorCode {
        let seconds: UInt16 = try command.unsigned(0)
        let breadcrumb: UInt64 = try command.unsigned(1)
        let node = context.node
        if let armed = node.failSafe {
            guard armed.fabricIndex == context.caller.fabricIndex else { return .busyWithOtherAdmin }
        } else if node.window.isOpen, !context.caller.isPASE {
            // Somebody who is being let in comes before administrators that are in already.
            return .busyWithOtherAdmin
        }
        guard seconds > 0 else {
            // The end of a fail-safe resets the breadcrumb; the one in the command does not count.
            node.expireFailSafe("disarmed")
            return .ok
        }
        node.armFailSafe(seconds: seconds, fabricIndex: context.caller.fabricIndex)
        context[Self.breadcrumb] = .uint(breadcrumb)
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
        context[Self.regulatoryConfig] = .uint(UInt64(location))
        context.sibling(ClusterID.basicInformation)?[BasicInformationServer.Attribute.location] = .string(country)
        context[Self.breadcrumb] = .uint(breadcrumb)
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
