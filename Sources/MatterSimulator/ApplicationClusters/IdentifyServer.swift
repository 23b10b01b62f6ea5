package import MatterTLV

/// Identify: the device shows which one it is (Matter application cluster specification 1.2).
package struct IdentifyServer: ClusterServer {
    package static let timeAttribute: UInt32 = 0
    private static let identify: UInt32 = 0
    private static let triggerEffect: UInt32 = 0x40
    private static let second = "second"

    /// How a device shows itself.
    package enum Kind: UInt64, Sendable {
        case none, lightOutput, visibleIndicator, audibleBeep, display, actuator
    }

    package let id = ClusterID.identify
    private let kind: Kind

    package init(_ kind: Kind = .visibleIndicator) { self.kind = kind }

    package var initialAttributes: [UInt32: TLVValue] { [0: .uint(0), 1: .uint(kind.rawValue)] }
    package var acceptedCommands: [UInt32] { [Self.identify, Self.triggerEffect] }
    package var quietAttributes: Set<UInt32> { [Self.timeAttribute] }

    package mutating func write(
        _ attribute: UInt32, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        set(value.integer() ?? 0, context)
    }

    package mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        if command.id == Self.identify {
            set(try command.unsigned(0), context)
        } else {
            let effect: UInt8 = try command.unsigned(0)
            // Finish and stop end what is under way.
            if effect == 0xFE || effect == 0xFF { set(0, context) }
            context.report("effect \(effect)")
        }
        return .success
    }

    private func set(_ seconds: UInt16, _ context: ClusterContext) {
        let before: UInt16 = context.number(Self.timeAttribute) ?? 0
        context[Self.timeAttribute] = .uint(UInt64(seconds))
        if (before == 0) != (seconds == 0) { context.report(seconds == 0 ? "identified" : "identifying") }
        if seconds == 0 {
            context.cancel(Self.second)
        } else {
            context.schedule(Self.second, after: .seconds(1))
        }
    }

    package mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        let left: UInt16 = context.number(Self.timeAttribute) ?? 0
        set(left == 0 ? 0 : left - 1, context)
    }
}
