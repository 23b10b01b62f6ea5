import MatterNetwork

/// Level Control of a light, bound to the On/Off cluster beside it (Matter application cluster specification 1.6).
struct LevelControlServer: ClusterServer {
    /// A way of going out in several steps.
    struct Fade: Sendable, Equatable {
        struct Step: Sendable, Equatable {
            /// Of the level at the beginning; 0 is the lowest level.
            var percent: Int
            var tenths: Int
        }

        var steps: [Step]
    }

    /// The view of the On/Off cluster.
    enum Signal: ClusterSignal {
        /// A command wants the light on (it is already) or off (it will be when the level says so).
        case switched(on: Bool)
        /// A command wants the light on while it is on, perhaps about to go out.
        case stayOn
        case fadeOut(Fade)
    }

    typealias Attribute = LevelControl.Attribute

    private typealias Command = LevelControl.Command

    /// Each command that acts on On/Off as well, with the one that does not.
    private static let plain = [
        Command.moveToLevelWithOnOff: Command.moveToLevel, Command.moveWithOnOff: Command.move,
        Command.stepWithOnOff: Command.step, Command.stopWithOnOff: Command.stop,
    ]

    private static let timer = "move"
    static let lowest = 1
    static let highest = 254

    let id = LevelControl.id
    private var ramp: Ramp?
    /// True if the end of the ramp at the lowest level switches off.
    private var endsWithOnOff = false
    /// The level to go back to once the light is off.
    private var storedLevel: Int?
    private var fade: [Fade.Step] = []

    init() {}

    /// On/Off and Lighting.
    var featureMap: FeatureMap { [LevelControl.Feature.onOff, LevelControl.Feature.lighting] }
    var initialAttributes: [AttributeID: TLVValue] {
        [
            Attribute.currentLevel: .uint(254), Attribute.remainingTime: .uint(0),
            Attribute.minLevel: .uint(UInt64(Self.lowest)), Attribute.maxLevel: .uint(UInt64(Self.highest)),
            Attribute.options: .uint(0), Attribute.onOffTransitionTime: .uint(0), Attribute.onLevel: .null,
            Attribute.onTransitionTime: .null, Attribute.offTransitionTime: .null, Attribute.defaultMoveRate: .uint(50),
            Attribute.startUpCurrentLevel: .null,
        ]
    }
    var acceptedCommands: [CommandID] { Array(Self.plain.keys) + Array(Self.plain.values) }
    var persistentAttributes: Set<AttributeID> {
        [
            Attribute.currentLevel, Attribute.options, Attribute.onOffTransitionTime, Attribute.onLevel,
            Attribute.onTransitionTime, Attribute.offTransitionTime, Attribute.defaultMoveRate,
            Attribute.startUpCurrentLevel,
        ]
    }
    var quietAttributes: Set<AttributeID> { [Attribute.remainingTime] }

    mutating func start(_ context: ClusterContext) {
        guard let level: UInt8 = context.number(Attribute.startUpCurrentLevel) else { return }
        context[Attribute.currentLevel] = .uint(UInt64(Self.clamped(Int(level))))
    }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard let ramp else { return nil }
        return switch attribute {
        case Attribute.currentLevel: .uint(UInt64(ramp.value(at: context.now)))
        case Attribute.remainingTime: .uint(UInt64(ramp.remaining(at: context.now)))
        default: nil
        }
    }

    private static func clamped(_ level: Int) -> Int { min(max(level, lowest), highest) }

    private func level(_ context: ClusterContext) -> Int {
        ramp?.value(at: context.now) ?? context.number(Attribute.currentLevel) ?? Self.highest
    }

    private func isOn(_ context: ClusterContext) -> Bool {
        context.sibling(OnOff.id)?.bool(OnOff.Attribute.onOff) ?? true
    }

    // MARK: Commands

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let withOnOff = Self.plain[command.id] != nil
        let kind = Self.plain[command.id] ?? command.id
        func acts(_ mask: LevelControl.Options, _ override: LevelControl.Options) -> Bool {
            let options = (context.number(Attribute.options, as: UInt8.self) ?? 0) & ~mask.rawValue
            return withOnOff || isOn(context) || (options | override.rawValue & mask.rawValue) & 1 != 0
        }
        // The commands with on/off have the same fields.
        switch kind {
        case Command.moveToLevel:
            let request: LevelControl.MoveToLevel = try command.decoded()
            guard request.level <= Self.highest else { throw .constraintError }
            guard acts(request.optionsMask, request.optionsOverride) else { break }
            move(to: Int(request.level), request.transitionTime.map(Self.duration), withOnOff, context)
        case Command.move:
            let request: LevelControl.Move = try command.decoded()
            let rate: UInt8? = request.rate ?? context.number(Attribute.defaultMoveRate)
            guard rate != 0, acts(request.optionsMask, request.optionsOverride) else { break }
            move(isUp: request.moveMode == .up, rate: rate, withOnOff, context)
        case Command.step:
            let request: LevelControl.Step = try command.decoded()
            guard request.stepSize > 0 else { throw .invalidCommand }
            guard acts(request.optionsMask, request.optionsOverride) else { break }
            step(isUp: request.stepMode == .up, Int(request.stepSize), request.transitionTime, withOnOff, context)
        default:
            let request: LevelControl.Stop = try command.decoded()
            if acts(request.optionsMask, request.optionsOverride) { stop(context) }
        }
        return .success
    }

    private static func duration(_ tenths: UInt16) -> Duration { .milliseconds(100 * Int64(tenths)) }

    private mutating func move(
        to level: Int, _ duration: Duration?, _ withOnOff: Bool, _ context: ClusterContext
    ) {
        let usual = Self.duration(context.number(Attribute.onOffTransitionTime) ?? 0)
        begin(to: Self.clamped(level), duration ?? usual, withOnOff, context)
    }

    private mutating func move(isUp: Bool, rate: UInt8?, _ withOnOff: Bool, _ context: ClusterContext) {
        let target = isUp ? Self.highest : Self.lowest
        let distance = abs(target - level(context))
        let duration = rate.map { Duration.milliseconds(Int64(distance) * 1000 / Int64($0)) } ?? .zero
        begin(to: target, duration, withOnOff, context)
    }

    private mutating func step(
        isUp: Bool, _ size: Int, _ time: UInt16?, _ withOnOff: Bool, _ context: ClusterContext
    ) {
        let from = level(context)
        let target = Self.clamped(isUp ? from + size : from - size)
        // The time is for the whole step; what is cut off at the end of the range takes none.
        let whole = time.map(Self.duration) ?? .zero
        begin(to: target, whole * Double(abs(target - from)) / Double(size), withOnOff, context)
    }

    private mutating func stop(_ context: ClusterContext) {
        guard ramp != nil else { return }
        let level = level(context)
        finish(context)
        context[Attribute.currentLevel] = .uint(UInt64(level))
    }

    // MARK: Moving

    private mutating func begin(
        to target: Int, _ duration: Duration, _ withOnOff: Bool, _ context: ClusterContext
    ) {
        storedLevel = nil
        fade = []
        if withOnOff, target > Self.lowest {
            context.signal(OnOffServer.Signal.set(true), to: OnOff.id)
        }
        run(from: level(context), to: target, duration, switchesOff: withOnOff && target == Self.lowest, context)
    }

    private mutating func run(
        from: Int, to target: Int, _ duration: Duration, switchesOff: Bool, _ context: ClusterContext
    ) {
        endsWithOnOff = switchesOff
        ramp = Ramp(from: from, to: target, start: context.now, duration: duration)
        guard duration > .zero, from != target else {
            arrive(context)
            return
        }
        context.touch(Attribute.remainingTime)
        advance(context)
    }

    private func advance(_ context: ClusterContext) {
        guard let ramp else { return }
        context.schedule(Self.timer, at: ramp.nextStep(after: context.now))
    }

    private mutating func finish(_ context: ClusterContext) {
        ramp = nil
        context.cancel(Self.timer)
        context.touch(Attribute.remainingTime)
    }

    private mutating func arrive(_ context: ClusterContext) {
        guard let ended = ramp else { return }
        finish(context)
        context[Attribute.currentLevel] = .uint(UInt64(ended.to))
        if let next = fade.first {
            fade.removeFirst()
            run(next, context)
            return
        }
        guard endsWithOnOff else { return }
        endsWithOnOff = false
        context.signal(OnOffServer.Signal.set(false), to: OnOff.id)
        if let storedLevel {
            self.storedLevel = nil
            if context[Attribute.onLevel] == .null { context[Attribute.currentLevel] = .uint(UInt64(storedLevel)) }
        }
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        guard let ramp else { return }
        if context.now >= ramp.end {
            arrive(context)
        } else {
            context[Attribute.currentLevel] = .uint(UInt64(ramp.value(at: context.now)))
            advance(context)
        }
    }

    // MARK: On/Off

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        switch signal as? Signal {
        case .switched(on: true): fadeIn(from: Self.lowest, context)
        case .stayOn: if storedLevel != nil { fadeIn(from: level(context), context) }
        case .switched(on: false):
            let tenths: UInt16? =
                context.number(Attribute.offTransitionTime) ?? context.number(Attribute.onOffTransitionTime)
            fadeOut(Fade(steps: [.init(percent: 0, tenths: Int(tenths ?? 0))]), context)
        case .fadeOut(let fade): fadeOut(fade, context)
        case nil: break
        }
    }

    private mutating func fadeIn(from start: Int, _ context: ClusterContext) {
        let before = storedLevel ?? level(context)
        storedLevel = nil
        fade = []
        let target = context.number(Attribute.onLevel).map { Self.clamped($0) } ?? before
        let tenths: UInt16? =
            context.number(Attribute.onTransitionTime) ?? context.number(Attribute.onOffTransitionTime)
        run(from: start, to: target, Self.duration(tenths ?? 0), switchesOff: false, context)
    }

    private mutating func fadeOut(_ fade: Fade, _ context: ClusterContext) {
        storedLevel = storedLevel ?? level(context)
        var steps = fade.steps
        if steps.last?.percent != 0 { steps.append(Fade.Step(percent: 0, tenths: 0)) }
        let first = steps.removeFirst()
        self.fade = steps
        run(first, context)
    }

    private mutating func run(_ step: Fade.Step, _ context: ClusterContext) {
        let target = Self.clamped((storedLevel ?? level(context)) * step.percent / 100)
        run(
            from: level(context), to: target, .milliseconds(100 * Int64(step.tenths)), switchesOff: fade.isEmpty,
            context)
    }

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        context[attribute] = value
    }
}
