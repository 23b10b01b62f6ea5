import MatterNetwork

/// Valve Configuration and Control (Matter application cluster specification 4.6) with levels.
///
/// A person types `leaking`, `blocked` or `ok`.
struct ValveServer: ClusterServer {
    private typealias Attribute = ValveConfigurationAndControl.Attribute
    private typealias Command = ValveConfigurationAndControl.Command

    private typealias State = ValveConfigurationAndControl.ValveState

    private enum Timer {
        static let move = "move"
        static let close = "close"
    }

    private static let travel = Duration.seconds(1)
    /// By bit of ValveFaultBitmap.
    private static let faults: [Substring: UInt16] = ["ok": 0, "blocked": 2, "leaking": 4]

    let id = ValveConfigurationAndControl.id
    let featureMap: FeatureMap = ValveConfigurationAndControl.Feature.level
    let acceptedCommands: [CommandID] = [Command.open, Command.close]
    let quietAttributes: Set<AttributeID> = [Attribute.remainingDuration]
    let persistentAttributes: Set<AttributeID> = [Attribute.defaultOpenDuration, Attribute.defaultOpenLevel]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.openDuration: .null, Attribute.defaultOpenDuration: .null, Attribute.remainingDuration: .null,
        Attribute.currentState: State.closed.tlv, Attribute.targetState: .null,
        Attribute.currentLevel: .uint(0), Attribute.targetLevel: .null, Attribute.defaultOpenLevel: .uint(100),
        Attribute.valveFault: .uint(0), Attribute.levelStep: .uint(1),
    ]
    private var closesAt: Instant?

    init() {}

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard attribute == Attribute.remainingDuration, let closesAt else { return nil }
        return .number(UInt32(clamping: (closesAt - context.now).components.seconds))
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch command.id {
        case Command.open:
            // A valve with a fault does not open.
            guard context.number(Attribute.valveFault, as: UInt16.self) == 0 else {
                throw .cluster(ValveConfigurationAndControl.StatusCode.failureDueToFault.rawValue)
            }
            let request: ValveConfigurationAndControl.Open = try command.decoded()
            // Null is for ever; what is left out is as usual.
            let seconds = request.openDuration ?? context.number(Attribute.defaultOpenDuration)
            let level = request.targetLevel ?? context.number(Attribute.defaultOpenLevel) ?? 100
            context[Attribute.openDuration] = .nullable(seconds)
            closesAt = seconds.map { context.now + .seconds(Int64($0)) }
            context.cancel(Timer.close)
            if let closesAt { context.schedule(Timer.close, at: closesAt) }
            move(to: level, context)
        case Command.close: close(context)
        default: throw .unsupportedCommand
        }
        return .success
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        guard timer == Timer.move else { return close(context) }
        let level: UInt8 = context.number(Attribute.targetLevel) ?? 0
        context[Attribute.currentLevel] = .number(level)
        context[Attribute.targetLevel] = .null
        context[Attribute.targetState] = .null
        set(level == 0 ? .closed : .open, context)
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 1, let fault = words.first.flatMap({ Self.faults[$0] }) else { return false }
        context[Attribute.valveFault] = .number(fault)
        context.emit(ValveConfigurationAndControl.ValveFaultEvent(valveFault: .init(rawValue: fault)))
        return true
    }

    private mutating func close(_ context: ClusterContext) {
        closesAt = nil
        context.cancel(Timer.close)
        context[Attribute.openDuration] = .null
        context[Attribute.remainingDuration] = .null
        move(to: 0, context)
    }

    private func move(to level: UInt8, _ context: ClusterContext) {
        context[Attribute.targetLevel] = .number(level)
        context[Attribute.targetState] = (level == 0 ? State.closed : State.open).tlv
        set(.transitioning, context)
        context.schedule(Timer.move, after: Self.travel)
    }

    private func set(_ state: State, _ context: ClusterContext) {
        guard context.number(Attribute.currentState) != state.rawValue else { return }
        context[Attribute.currentState] = state.tlv
        let level: UInt8? = context.number(Attribute.currentLevel)
        context.emit(ValveConfigurationAndControl.ValveStateChanged(valveState: state, valveLevel: level ?? 0))
    }
}
