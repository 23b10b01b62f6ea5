import MatterModel

/// General Commissioning: the fail-safe, and the manufacturer's terms (Matter core specification 11.10).
struct GeneralCommissioningServer: ClusterServer {
    typealias Attribute = GeneralCommissioning.Attribute

    private typealias Command = GeneralCommissioning.Command

    private typealias ErrorCode = GeneralCommissioning.CommissioningError

    private struct Acknowledgement {
        var version: UInt16
        var response: UInt16
    }

    let id = GeneralCommissioning.id
    private let limits: NodeLimits
    private let terms: DemandedTerms?
    private let isConcurrent: Bool
    /// Accepted under the fail-safe; it counts for good with CommissioningComplete.
    private var pending: Acknowledgement?

    init(_ limits: NodeLimits, terms: DemandedTerms? = nil, isConcurrent: Bool = true) {
        self.isConcurrent = isConcurrent
        self.limits = limits
        self.terms = terms
    }

    var featureMap: FeatureMap { terms == nil ? [] : GeneralCommissioning.Feature.termsAndConditions }
    var initialAttributes: [AttributeID: TLVValue] {
        let general: [AttributeID: TLVValue] = [
            Attribute.breadcrumb: .uint(0),
            Attribute.basicCommissioningInfo: GeneralCommissioning.BasicCommissioningInfo(
                failSafeExpiryLengthSeconds: limits.failSafe, maxCumulativeFailsafeSeconds: limits.cumulativeFailSafe
            ).tlv,
            Attribute.regulatoryConfig: GeneralCommissioning.RegulatoryLocationType.indoorOutdoor.tlv,
            Attribute.locationCapability: GeneralCommissioning.RegulatoryLocationType.indoorOutdoor.tlv,
            Attribute.supportsConcurrentConnection: .bool(isConcurrent),
        ]
        guard let terms else { return general }
        return general.merging([
            Attribute.tcAcceptedVersion: .uint(0), Attribute.tcAcknowledgements: .uint(0),
            Attribute.tcMinRequiredVersion: .uint(UInt64(terms.minimumVersion)),
            Attribute.tcAcknowledgementsRequired: .bool(true), Attribute.tcUpdateDeadline: .null,
        ]) { $1 }
    }

    var acceptedCommands: [CommandID] {
        [Command.armFailSafe, Command.setRegulatoryConfig, Command.commissioningComplete]
            + (terms == nil ? [] : [Command.setTCAcknowledgements])
    }
    var persistentAttributes: Set<AttributeID> {
        [
            Attribute.regulatoryConfig, Attribute.tcAcceptedVersion, Attribute.tcAcknowledgements,
            Attribute.tcAcknowledgementsRequired,
        ]
    }
    /// The end of a fail-safe is reported to clusters with a state; what is pending does not outlive a restart.
    var savedState: TLVValue? { terms.map { _ in .structure([]) } }
    var selfCheckedCommands: Set<CommandID> { [Command.setRegulatoryConfig] }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch command.id {
        case Command.armFailSafe:
            return .response(
                GeneralCommissioning.ArmFailSafeResponse(errorCode: try arm(command, context), debugText: ""))
        case Command.setRegulatoryConfig:
            let code = try setRegulatoryConfig(command, context)
            return .response(GeneralCommissioning.SetRegulatoryConfigResponse(errorCode: code, debugText: ""))
        case Command.setTCAcknowledgements:
            let request: GeneralCommissioning.SetTCAcknowledgements = try command.decoded()
            let code = acknowledge(request.tcVersion, request.tcUserResponse, context)
            return .response(GeneralCommissioning.SetTCAcknowledgementsResponse(errorCode: code))
        default:
            return .response(
                GeneralCommissioning.CommissioningCompleteResponse(errorCode: complete(context), debugText: ""))
        }
    }

    func start(_ context: ClusterContext) {
        // A file accepted in an earlier run may be too old for this one.
        if terms != nil { context[Attribute.tcAcknowledgementsRequired] = .bool(judge(kept(context)) != .ok) }
    }

    func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext) {
        guard terms != nil, context.node.fabrics.isEmpty else { return }
        // As after a factory reset.
        keep(Acknowledgement(version: 0, response: 0), context)
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        if signal is RollBack { pending = nil }
    }

    private func arm(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> ErrorCode {
        let request: GeneralCommissioning.ArmFailSafe = try command.decoded()
        let node = context.node
        if let armed = node.failSafe {
            guard armed.fabricIndex == context.caller.fabricIndex else { return .busyWithOtherAdmin }
        } else if node.window.isOpen, !context.caller.isPASE {
            // A commissioner on PASE comes before administrators with a fabric.
            return .busyWithOtherAdmin
        }
        guard request.expiryLengthSeconds > 0 else {
            // The end of a fail-safe resets the breadcrumb; the one in the command does not count.
            node.expireFailSafe("disarmed")
            return .ok
        }
        node.armFailSafe(seconds: request.expiryLengthSeconds, fabricIndex: context.caller.fabricIndex)
        context[Attribute.breadcrumb] = .uint(request.breadcrumb)
        return .ok
    }

    private func setRegulatoryConfig(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> ErrorCode {
        let request: GeneralCommissioning.SetRegulatoryConfig = try command.decoded()
        let (location, country) = (request.newRegulatoryConfig, request.countryCode)
        guard country.utf8.count == 2 else { throw .constraintError }
        guard location.isKnown else { return .valueOutsideRange }
        context[Attribute.regulatoryConfig] = .number(location.rawValue)
        context.sibling(BasicInformation.id)?[BasicInformation.Attribute.location] = .string(country)
        context[Attribute.breadcrumb] = .uint(request.breadcrumb)
        return .ok
    }

    private mutating func acknowledge(_ version: UInt16, _ response: UInt16, _ context: ClusterContext) -> ErrorCode {
        let answer = Acknowledgement(version: version, response: response)
        let code = judge(answer)
        guard code == .ok else { return code }
        if context.node.failSafe == nil { keep(answer, context) } else { pending = answer }
        context.node.reportCommissioning(
            "terms-accepted", [("version", .uint(UInt64(version))), ("response", .uint(UInt64(response)))])
        return .ok
    }

    private func judge(_ answer: Acknowledgement) -> ErrorCode {
        guard let terms else { return .ok }
        guard answer.version > 0 else { return .tcAcknowledgementsNotReceived }
        guard answer.version >= terms.minimumVersion else { return .tcMinVersionNotMet }
        return answer.response & terms.required == terms.required ? .ok : .requiredTCNotAccepted
    }

    private func kept(_ context: ClusterContext) -> Acknowledgement {
        Acknowledgement(
            version: context.number(Attribute.tcAcceptedVersion) ?? 0,
            response: context.number(Attribute.tcAcknowledgements) ?? 0)
    }

    private func keep(_ answer: Acknowledgement, _ context: ClusterContext) {
        context[Attribute.tcAcceptedVersion] = .uint(UInt64(answer.version))
        context[Attribute.tcAcknowledgements] = .uint(UInt64(answer.response))
        context[Attribute.tcAcknowledgementsRequired] = .bool(judge(answer) != .ok)
    }

    private mutating func complete(_ context: ClusterContext) -> ErrorCode {
        guard let failSafe = context.node.failSafe else { return .noFailSafe }
        guard !context.caller.isPASE, context.caller.fabricIndex == failSafe.fabricIndex else {
            return .invalidAuthentication
        }
        if terms != nil {
            let code = judge(pending ?? kept(context))
            guard code == .ok else { return code }
            if let pending { keep(pending, context) }
            pending = nil
        }
        context.node.completeFailSafe()
        return .ok
    }
}
