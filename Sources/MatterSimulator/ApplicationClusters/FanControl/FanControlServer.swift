import MatterModel

/// Fan Control (Matter application cluster specification 4.4) with ten speeds, automatic mode, Step and a direction of the air.
///
/// FanMode, PercentSetting and SpeedSetting are three views of one thing; writing any moves the other two.
struct FanControlServer: ClusterServer {
    private typealias Attribute = FanControl.Attribute

    private typealias Mode = FanControl.FanMode

    private static let speedMax = 10
    /// The last speed of Low and of Medium.
    private static let lowUpTo = 3
    private static let mediumUpTo = 7
    /// The fan's reading of automatic mode.
    private static let automaticSpeed = 5

    let id = FanControl.id
    /// SPD, AUT, STEP and DIR.
    let featureMap: FeatureMap = [
        FanControl.Feature.multiSpeed, FanControl.Feature.auto, FanControl.Feature.step,
        FanControl.Feature.airflowDirection,
    ]
    let acceptedCommands: [CommandID] = [FanControl.Command.step]
    let persistentAttributes: Set<AttributeID> = [
        Attribute.fanMode, Attribute.percentSetting, Attribute.percentCurrent, Attribute.speedSetting,
        Attribute.speedCurrent, Attribute.airflowDirection,
    ]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.fanMode: Mode.off.tlv,
        Attribute.fanModeSequence: FanControl.FanModeSequence.offLowMedHighAuto.tlv, Attribute.percentSetting: .uint(0),
        Attribute.percentCurrent: .uint(0), Attribute.speedMax: .number(UInt8(speedMax)),
        Attribute.speedSetting: .uint(0), Attribute.speedCurrent: .uint(0),
        Attribute.airflowDirection: FanControl.AirflowDirection.forward.tlv,
    ]

    init() {}

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        // Null is what automatic mode shows; as a wish it means nothing and is passed over.
        if value == .null { return }
        guard let number = value.integer(as: UInt8.self) else { throw .constraintError }
        switch attribute {
        case Attribute.fanMode: setMode(Mode(rawValue: number), context)
        case Attribute.percentSetting:
            let percent = Int(number)
            // The next speed up: speed = ceil(SpeedMax * percent / 100).
            set(percent: percent, speed: (Self.speedMax * percent + 99) / 100, context)
        case Attribute.speedSetting:
            guard Int(number) <= Self.speedMax else { throw .constraintError }
            setSpeed(Int(number), context)
        case Attribute.airflowDirection:
            guard let direction = FanControl.AirflowDirection(known: number) else { throw .constraintError }
            context[attribute] = direction.tlv
        default: throw .unsupportedWrite
        }
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard command.id == FanControl.Command.step else { throw .unsupportedCommand }
        let request: FanControl.Step = try command.decoded()
        let isIncrease = request.direction == .increase
        let wraps = request.wrap ?? false
        let lowest = request.lowestOff ?? true ? 0 : 1
        // In automatic mode there is no setting to start from; the fan goes on from where it is.
        let speed =
            context.number(Attribute.speedSetting, as: Int.self) ?? context.number(Attribute.speedCurrent) ?? 0
        let next =
            isIncrease
            ? (speed >= Self.speedMax ? (wraps ? lowest : Self.speedMax) : max(speed + 1, lowest))
            : (speed <= lowest ? (wraps ? Self.speedMax : lowest) : speed - 1)
        setSpeed(next, context)
        return .success
    }

    /// A person turns the knob: `off`, `low`, `medium`, `high`, `auto`, or a percentage.
    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 1, let word = words.first else { return false }
        let modes: [Substring: Mode] = ["off": .off, "low": .low, "medium": .medium, "high": .high, "auto": .auto]
        if let mode = modes[word] {
            setMode(mode, context)
        } else if let hundredths = TypedNumber.hundredths(word), (0...10000).contains(hundredths) {
            set(percent: hundredths / 100, speed: (Self.speedMax * (hundredths / 100) + 99) / 100, context)
        } else {
            return false
        }
        return true
    }

    // MARK: The three views

    private func setMode(_ wish: Mode, _ context: ClusterContext) {
        // On and Smart are names of old; they are stored as their new values.
        let mode = wish == .on ? .high : wish == .smart ? .auto : wish
        guard mode.rawValue != context.number(Attribute.fanMode) else { return }
        switch mode {
        case .low: setSpeed(Self.lowUpTo, context)
        case .medium: setSpeed(Self.mediumUpTo, context)
        case .high: setSpeed(Self.speedMax, context)
        case .auto:
            context[Attribute.fanMode] = mode.tlv
            context[Attribute.percentSetting] = .null
            context[Attribute.speedSetting] = .null
            setCurrent(percent: Self.automaticSpeed * 100 / Self.speedMax, speed: Self.automaticSpeed, context)
        default: setSpeed(0, context)
        }
    }

    private func setSpeed(_ speed: Int, _ context: ClusterContext) {
        set(percent: speed * 100 / Self.speedMax, speed: speed, context)
    }

    private func set(percent: Int, speed: Int, _ context: ClusterContext) {
        let mode: Mode =
            speed == 0 ? .off : speed <= Self.lowUpTo ? .low : speed <= Self.mediumUpTo ? .medium : .high
        context[Attribute.fanMode] = mode.tlv
        context[Attribute.percentSetting] = .number(UInt8(clamping: percent))
        context[Attribute.speedSetting] = .number(UInt8(clamping: speed))
        setCurrent(percent: percent, speed: speed, context)
    }

    private func setCurrent(percent: Int, speed: Int, _ context: ClusterContext) {
        context[Attribute.percentCurrent] = .number(UInt8(clamping: percent))
        context[Attribute.speedCurrent] = .number(UInt8(clamping: speed))
    }
}
