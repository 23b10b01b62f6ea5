import MatterModel

/// Identify: the device shows which one it is (Matter application cluster specification 1.2).
struct IdentifyServer: ClusterServer {
    typealias Attribute = Identify.Attribute

    private static let second = "second"

    let id = Identify.id
    /// How the device shows itself.
    private let kind: Identify.IdentifyType

    init(_ kind: Identify.IdentifyType = .visibleIndicator) { self.kind = kind }

    var initialAttributes: [AttributeID: TLVValue] {
        [Attribute.identifyTime: .uint(0), Attribute.identifyType: kind.tlv]
    }
    var acceptedCommands: [CommandID] { [Identify.Command.identify, Identify.Command.triggerEffect] }
    var quietAttributes: Set<AttributeID> { [Attribute.identifyTime] }

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        set(value.integer() ?? 0, context)
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        if command.id == Identify.Command.identify {
            set(try command.decoded(as: Identify.Identify.self).identifyTime, context)
        } else {
            let effect = try command.decoded(as: Identify.TriggerEffect.self).effectIdentifier
            // Both end what is under way.
            if effect == .finishEffect || effect == .stopEffect { set(0, context) }
            context.report("effect \(effect.rawValue)")
        }
        return .success
    }

    private func set(_ seconds: UInt16, _ context: ClusterContext) {
        let before: UInt16 = context.number(Attribute.identifyTime) ?? 0
        context[Attribute.identifyTime] = .uint(UInt64(seconds))
        if (before == 0) != (seconds == 0) { context.report(seconds == 0 ? "identified" : "identifying") }
        if seconds == 0 {
            context.cancel(Self.second)
        } else {
            context.schedule(Self.second, after: .seconds(1))
        }
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        let left: UInt16 = context.number(Attribute.identifyTime) ?? 0
        set(left == 0 ? 0 : left - 1, context)
    }
}
