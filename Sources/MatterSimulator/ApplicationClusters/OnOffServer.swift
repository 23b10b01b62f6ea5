import MatterNetwork

/// On/Off, with the feature Lighting where wanted (Matter application cluster specification 1.5).
struct OnOffServer: ClusterServer {
    /// The facts from other clusters.
    enum Signal: ClusterSignal {
        /// A move of the level with on/off has begun above, or ended at, the lowest level.
        case set(Bool)
    }

    typealias Attribute = OnOff.Attribute

    private typealias Command = OnOff.Command

    private enum Timer {
        static let on = "on-time"
        static let offWait = "off-wait-time"
        static let effect = "effect"
    }

    /// A countdown that never ends.
    private static let forever: UInt16 = 0xFFFF
    private static let tenth = Duration.milliseconds(100)

    let id = OnOff.id
    private let isLighting: Bool
    private var onUntil: Instant?
    private var waitsUntil: Instant?

    init(isLighting: Bool) { self.isLighting = isLighting }

    var featureMap: FeatureMap { isLighting ? OnOff.Feature.lighting : [] }
    var initialAttributes: [AttributeID: TLVValue] {
        guard isLighting else { return [Attribute.onOff: .bool(false)] }
        return [
            Attribute.onOff: .bool(false), Attribute.globalSceneControl: .bool(true), Attribute.onTime: .uint(0),
            Attribute.offWaitTime: .uint(0), Attribute.startUpOnOff: .null,
        ]
    }
    var acceptedCommands: [CommandID] {
        let plain = [Command.off, Command.on, Command.toggle]
        return isLighting
            ? plain + [Command.offWithEffect, Command.onWithRecallGlobalScene, Command.onWithTimedOff] : plain
    }
    var persistentAttributes: Set<AttributeID> {
        [Attribute.onOff, Attribute.globalSceneControl, Attribute.startUpOnOff]
    }
    var quietAttributes: Set<AttributeID> {
        [Attribute.onTime, Attribute.offWaitTime, Attribute.globalSceneControl]
    }

    mutating func start(_ context: ClusterContext) {
        guard isLighting, let startUp: UInt8 = context.number(Attribute.startUpOnOff) else { return }
        switch startUp {
        case 0: context[Attribute.onOff] = .bool(false)
        case 1: context[Attribute.onOff] = .bool(true)
        default: context[Attribute.onOff] = .bool(!context.bool(Attribute.onOff))
        }
    }

    /// The countdowns are computed when they are read.
    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        let end: Instant?
        switch attribute {
        case Attribute.onTime: end = onUntil
        case Attribute.offWaitTime: end = waitsUntil
        default: return nil
        }
        guard let end else { return nil }
        return .uint(UInt64(max(0, ((end - context.now) / Self.tenth).rounded(.up))))
    }

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        switch attribute {
        case Attribute.onTime: setOnTime(value.integer() ?? 0, context)
        case Attribute.offWaitTime: setOffWaitTime(value.integer() ?? 0, context)
        default: context[attribute] = value
        }
    }

    // MARK: Commands

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        context.cancel(Timer.effect)
        switch command.id {
        case Command.off: switchOff(context)
        case Command.on: switchOn(context)
        case Command.toggle: if context.bool(Attribute.onOff) { switchOff(context) } else { switchOn(context) }
        case Command.offWithEffect: try offWithEffect(command, context)
        case Command.onWithRecallGlobalScene:
            if !context.bool(Attribute.globalSceneControl) { switchOn(context) }
        default: try onWithTimedOff(command, context)
        }
        return .success
    }

    private mutating func switchOn(_ context: ClusterContext) {
        if isLighting {
            if current(Attribute.onTime, context) == 0 { setOffWaitTime(0, context) }
            context[Attribute.globalSceneControl] = .bool(true)
        }
        guard !context.bool(Attribute.onOff) else {
            context.signal(LevelControlServer.Signal.stayOn, to: LevelControl.id)
            return
        }
        context[Attribute.onOff] = .bool(true)
        context.signal(LevelControlServer.Signal.switched(on: true), to: LevelControl.id)
    }

    private mutating func switchOff(_ context: ClusterContext) {
        if isLighting { setOnTime(0, context) }
        guard context.bool(Attribute.onOff) else { return }
        if context.sibling(LevelControl.id) != nil {
            // The light goes out at the end of the level's fade.
            context.signal(LevelControlServer.Signal.switched(on: false), to: LevelControl.id)
        } else {
            context[Attribute.onOff] = .bool(false)
        }
    }

    private mutating func offWithEffect(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) {
        let request: OnOff.OffWithEffect = try command.decoded()
        context[Attribute.globalSceneControl] = .bool(false)
        setOnTime(0, context)
        guard context.bool(Attribute.onOff) else { return }
        let fade: LevelControlServer.Fade
        switch (request.effectIdentifier.rawValue, request.effectVariant) {
        case (0, 1): fade = .init(steps: [])
        case (0, 2): fade = .init(steps: [.init(percent: 50, tenths: 8), .init(percent: 0, tenths: 120)])
        case (1, _): fade = .init(steps: [.init(percent: 120, tenths: 5), .init(percent: 0, tenths: 10)])
        default: fade = .init(steps: [.init(percent: 0, tenths: 8)])
        }
        if context.sibling(LevelControl.id) != nil {
            context.signal(LevelControlServer.Signal.fadeOut(fade), to: LevelControl.id)
        } else {
            let tenths = fade.steps.reduce(0) { $0 + Int64($1.tenths) }
            context.schedule(Timer.effect, after: .milliseconds(100 * tenths))
        }
    }

    private mutating func onWithTimedOff(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) {
        let request: OnOff.OnWithTimedOff = try command.decoded()
        let isOn = context.bool(Attribute.onOff)
        guard !request.onOffControl.contains(.acceptOnlyWhenOn) || isOn else { return }
        let waiting = current(Attribute.offWaitTime, context)
        if waiting > 0, !isOn {
            setOffWaitTime(min(waiting, request.offWaitTime), context)
            return
        }
        let time = max(current(Attribute.onTime, context), request.onTime)
        switchOn(context)
        setOffWaitTime(request.offWaitTime, counting: false, context)
        setOnTime(time, counting: time != Self.forever && request.offWaitTime != Self.forever, context)
    }

    // MARK: Countdowns

    private func current(_ attribute: AttributeID, _ context: ClusterContext) -> UInt16 {
        (read(attribute, context) ?? context[attribute])?.integer() ?? 0
    }

    private mutating func setOnTime(_ tenths: UInt16, counting: Bool = true, _ context: ClusterContext) {
        let runs = tenths > 0 && tenths != Self.forever && counting && context.bool(Attribute.onOff)
        onUntil = runs ? context.now + Self.tenth * Int(tenths) : nil
        set(Attribute.onTime, tenths, Timer.on, until: onUntil, context)
    }

    private mutating func setOffWaitTime(_ tenths: UInt16, counting: Bool = true, _ context: ClusterContext) {
        let runs = tenths > 0 && tenths != Self.forever && counting && !context.bool(Attribute.onOff)
        waitsUntil = runs ? context.now + Self.tenth * Int(tenths) : nil
        set(Attribute.offWaitTime, tenths, Timer.offWait, until: waitsUntil, context)
    }

    private func set(
        _ attribute: AttributeID, _ tenths: UInt16, _ timer: String, until end: Instant?, _ context: ClusterContext
    ) {
        guard isLighting else { return }
        context[attribute] = .uint(UInt64(tenths))
        if let end { context.schedule(timer, at: end) } else { context.cancel(timer) }
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        switch timer {
        case Timer.on:
            onUntil = nil
            setOffWaitTime(0, context)
            switchOff(context)
            context[Attribute.onTime] = .uint(0)
        case Timer.offWait:
            waitsUntil = nil
            context[Attribute.offWaitTime] = .uint(0)
        default:
            becameOff(context)
        }
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard case .set(let on) = signal as? Signal else { return }
        if on {
            guard !context.bool(Attribute.onOff) else { return }
            context[Attribute.onOff] = .bool(true)
            if isLighting { context[Attribute.globalSceneControl] = .bool(true) }
        } else {
            becameOff(context)
        }
    }

    private mutating func becameOff(_ context: ClusterContext) {
        guard context.bool(Attribute.onOff) else { return }
        context[Attribute.onOff] = .bool(false)
        guard isLighting else { return }
        setOnTime(0, context)
        // A light that was on for a time now waits before it can be switched on for a time again.
        let waiting = current(Attribute.offWaitTime, context)
        if waiting > 0 { setOffWaitTime(waiting, context) }
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        switch words {
        case ["on"]: switchOn(context)
        case ["off"]: switchOff(context)
        case ["toggle"]: if context.bool(Attribute.onOff) { switchOff(context) } else { switchOn(context) }
        default: return false
        }
        return true
    }
}
