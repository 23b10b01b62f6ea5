import MatterModel

/// Identify: the device shows which one it is (Matter application cluster specification 1.2).
struct IdentifyServer: ClusterServer {
    typealias Attribute = Identify.Attribute

    private static let second = "second"

    /// How a device shows itself.
    enum Kind: UInt64, Sendable {
        case none, lightOutput, visibleIndicator, audibleBeep, display, actuator
    }

    let id = Identify.id
    private let kind: Kind

    init(_ kind: Kind = .visibleIndicator) { self.kind = kind }

    var initialAttributes: [AttributeID: TLVValue] {
        [Attribute.identifyTime: .uint(0), Attribute.identifyType: .uint(kind.rawValue)]
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
            let effect = try command.decoded(as: Identify.TriggerEffect.self).effectIdentifier.rawValue
            // Finish and stop end what is under way.
            if effect == 0xFE || effect == 0xFF { set(0, context) }
            context.report("effect \(effect)")
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
