import MatterNetwork

/// Color Control of a light with colour temperature only (Matter application cluster specification 3.2, feature CT).
struct ColorTemperatureServer: ClusterServer {
    private typealias Attribute = ColorControl.Attribute

    private typealias Command = ColorControl.Command

    private static let timer = "move"
    /// 6500 K and 2000 K.
    static let coldest = 153
    static let warmest = 500
    private static let usual = 250
    private static let largest = 0xFEFF

    let id = ColorControl.id
    private var ramp: Ramp?

    init() {}

    var featureMap: FeatureMap { ColorControl.Feature.colorTemperature }
    var initialAttributes: [AttributeID: TLVValue] {
        [
            Attribute.remainingTime: .uint(0), Attribute.colorTemperatureMireds: .uint(UInt64(Self.usual)),
            Attribute.colorMode: ColorControl.ColorMode.colorTemperatureMireds.tlv, Attribute.options: .uint(0),
            Attribute.numberOfPrimaries: .uint(0),
            Attribute.enhancedColorMode: ColorControl.EnhancedColorMode.colorTemperatureMireds.tlv,
            Attribute.colorCapabilities: .uint(UInt64(ColorControl.Feature.colorTemperature.rawValue)),
            Attribute.colorTempPhysicalMinMireds: .uint(UInt64(Self.coldest)),
            Attribute.colorTempPhysicalMaxMireds: .uint(UInt64(Self.warmest)),
            Attribute.coupleColorTempToLevelMinMireds: .uint(UInt64(Self.coldest)),
            Attribute.startUpColorTemperatureMireds: .null,
        ]
    }
    var acceptedCommands: [CommandID] {
        [
            Command.moveToColorTemperature, Command.stopMoveStep, Command.moveColorTemperature,
            Command.stepColorTemperature,
        ]
    }
    var persistentAttributes: Set<AttributeID> {
        [Attribute.colorTemperatureMireds, Attribute.options, Attribute.startUpColorTemperatureMireds]
    }
    var quietAttributes: Set<AttributeID> { [Attribute.remainingTime] }
    var observedClusters: Set<ClusterID> { [LevelControl.id] }

    mutating func start(_ context: ClusterContext) {
        guard let mireds: UInt16 = context.number(Attribute.startUpColorTemperatureMireds) else { return }
        context[Attribute.colorTemperatureMireds] = .uint(UInt64(Self.clamped(Int(mireds))))
    }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard let ramp else { return nil }
        return switch attribute {
        case Attribute.colorTemperatureMireds: .uint(UInt64(ramp.value(at: context.now)))
        case Attribute.remainingTime: .uint(UInt64(ramp.remaining(at: context.now)))
        default: nil
        }
    }

    private static func clamped(_ mireds: Int, _ range: ClosedRange<Int> = coldest...warmest) -> Int {
        min(max(mireds, range.lowerBound), range.upperBound)
    }

    /// The range that a command allows; 0 means the light's own end.
    private static func range(_ minimum: UInt16, _ maximum: UInt16) throws(ClusterFailure) -> ClosedRange<Int> {
        let low = max(Int(minimum), coldest)
        let high = maximum == 0 ? warmest : min(Int(maximum), warmest)
        guard low <= high, Int(maximum) <= largest, Int(minimum) <= largest else { throw .constraintError }
        return low...high
    }

    private func mireds(_ context: ClusterContext) -> Int {
        ramp?.value(at: context.now) ?? context.number(Attribute.colorTemperatureMireds) ?? Self.usual
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        func acts(_ request: some ColorCommand) -> Bool {
            let (mask, override) = (request.optionsMask.rawValue, request.optionsOverride.rawValue)
            let options = (context.number(Attribute.options, as: UInt8.self) ?? 0) & ~mask | override & mask
            return context.sibling(OnOff.id)?.bool(OnOff.Attribute.onOff) ?? true || options & 1 != 0
        }
        func tenths(_ time: UInt16) -> Duration { .milliseconds(100 * Int64(time)) }
        switch command.id {
        case Command.moveToColorTemperature:
            let request: ColorControl.MoveToColorTemperature = try command.decoded()
            let mireds = Int(request.colorTemperatureMireds)
            guard mireds <= Self.largest else { throw .constraintError }
            if acts(request) { begin(to: Self.clamped(mireds), tenths(request.transitionTime), context) }
        case Command.moveColorTemperature:
            let request: ColorControl.MoveColorTemperature = try command.decoded()
            let range = try Self.range(request.colorTemperatureMinimumMireds, request.colorTemperatureMaximumMireds)
            guard request.moveMode == .stop || request.rate > 0 else { throw .invalidCommand }
            if acts(request) { move(request.moveMode.rawValue, Int(request.rate), range, context) }
        case Command.stepColorTemperature:
            let request: ColorControl.StepColorTemperature = try command.decoded()
            let range = try Self.range(request.colorTemperatureMinimumMireds, request.colorTemperatureMaximumMireds)
            guard request.stepSize > 0, request.stepMode.rawValue != 0 else { throw .invalidCommand }
            let size = Int(request.stepSize)
            let target = mireds(context) + (request.stepMode == .up ? size : -size)
            if acts(request) { begin(to: Self.clamped(target, range), tenths(request.transitionTime), context) }
        default:
            if acts(try command.decoded(as: ColorControl.StopMoveStep.self)) { halt(context) }
        }
        return .success
    }

    private mutating func move(_ mode: UInt8, _ rate: Int, _ range: ClosedRange<Int>, _ context: ClusterContext) {
        guard mode != 0 else { return halt(context) }
        let target = mode == 1 ? range.upperBound : range.lowerBound
        begin(to: target, .milliseconds(Int64(abs(target - mireds(context))) * 1000 / Int64(rate)), context)
    }

    private mutating func halt(_ context: ClusterContext) {
        guard ramp != nil else { return }
        let mireds = mireds(context)
        finish(mireds, context)
    }

    private mutating func begin(to target: Int, _ duration: Duration, _ context: ClusterContext) {
        let from = mireds(context)
        guard duration > .zero, from != target else { return finish(target, context) }
        let ramp = Ramp(from: from, to: target, start: context.now, duration: duration)
        self.ramp = ramp
        context.touch(Attribute.remainingTime)
        context.schedule(Self.timer, at: ramp.nextStep(after: context.now))
    }

    private mutating func finish(_ mireds: Int, _ context: ClusterContext) {
        ramp = nil
        context.cancel(Self.timer)
        context[Attribute.colorTemperatureMireds] = .uint(UInt64(mireds))
        context.touch(Attribute.remainingTime)
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        guard let ramp else { return }
        guard context.now < ramp.end else { return finish(ramp.to, context) }
        context[Attribute.colorTemperatureMireds] = .uint(UInt64(ramp.value(at: context.now)))
        context.schedule(Self.timer, at: ramp.nextStep(after: context.now))
    }

    /// Colour temperature follows the level, where Level Control is told so.
    mutating func siblingChanged(_ cluster: ClusterID, _ attribute: AttributeID, _ context: ClusterContext) {
        guard let mireds = ColorControlServer.coupledMireds(cluster, attribute, context) else { return }
        finish(mireds, context)
    }
}
