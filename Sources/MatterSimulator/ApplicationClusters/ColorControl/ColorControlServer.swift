import MatterNetwork

/// Color Control with all features (Matter application cluster specification 3.2): hue and saturation, enhanced hue, the
/// colour loop, xy and colour temperature.
struct ColorControlServer: ClusterServer {
    private static let timer = "step"
    static let coldest = ColorTemperatureServer.coldest
    static let warmest = ColorTemperatureServer.warmest
    private static let allFeatures: FeatureMap = [
        ColorControl.Feature.hueAndSaturation, ColorControl.Feature.enhancedHue, ColorControl.Feature.colorLoop,
        ColorControl.Feature.xy, ColorControl.Feature.colorTemperature,
    ]
    private static let levels = 1...254
    /// In the Options of Level Control.
    private static let coupleColorTempToLevel: UInt8 = 1 << 1

    let id = ColorControl.id
    let featureMap = ColorControlServer.allFeatures
    let acceptedCommands = ColorControlServer.commands
    let persistentAttributes: Set<AttributeID> = [
        Attribute.currentHue, Attribute.currentSaturation, Attribute.currentX, Attribute.currentY,
        Attribute.colorTemperatureMireds, Attribute.colorMode, Attribute.options, Attribute.enhancedCurrentHue,
        Attribute.enhancedColorMode, Attribute.startUpColorTemperatureMireds,
    ]
    let quietAttributes: Set<AttributeID> = [Attribute.remainingTime]
    let observedClusters: Set<ClusterID> = [LevelControl.id]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.currentHue: .uint(0), Attribute.currentSaturation: .uint(0),
        Attribute.remainingTime: .uint(0), Attribute.currentX: .uint(0x616B),
        Attribute.currentY: .uint(0x607D), Attribute.colorTemperatureMireds: .uint(250),
        Attribute.colorMode: Mode.colorTemperatureMireds.tlv, Attribute.options: .uint(0),
        Attribute.numberOfPrimaries: .uint(0), Attribute.enhancedCurrentHue: .uint(0),
        Attribute.enhancedColorMode: Mode.colorTemperatureMireds.tlv,
        Attribute.colorLoopActive: .uint(0), Attribute.colorLoopDirection: .uint(0),
        Attribute.colorLoopTime: .uint(25), Attribute.colorLoopStartEnhancedHue: .uint(0x2300),
        Attribute.colorLoopStoredEnhancedHue: .uint(0),
        Attribute.colorCapabilities: .number(UInt16(allFeatures.rawValue)),
        Attribute.colorTempPhysicalMinMireds: .uint(UInt64(coldest)),
        Attribute.colorTempPhysicalMaxMireds: .uint(UInt64(warmest)),
        Attribute.coupleColorTempToLevelMinMireds: .uint(UInt64(coldest)),
        Attribute.startUpColorTemperatureMireds: .null,
    ]

    var engine = ColorEngine()

    init() {}

    mutating func start(_ context: ClusterContext) {
        engine = ColorEngine()
        engine.set(.hue, context.number(Attribute.enhancedCurrentHue) ?? 0)
        engine.set(.saturation, context.number(Attribute.currentSaturation) ?? 0)
        engine.set(.x, context.number(Attribute.currentX) ?? 0)
        engine.set(.y, context.number(Attribute.currentY) ?? 0)
        engine.set(.mireds, context.number(Attribute.colorTemperatureMireds) ?? Self.coldest)
        if let mireds: Int = context.number(Attribute.startUpColorTemperatureMireds) {
            engine.set(.mireds, min(max(mireds, Self.coldest), Self.warmest))
            setMode(.colorTemperatureMireds, context)
        }
        publish(context)
    }

    /// Movements are computed when they are read.
    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        engine.isMoving ? value(of: attribute, context) : nil
    }

    private func value(of attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        let now = context.now
        func number(_ channel: ColorEngine.Channel) -> TLVValue {
            .number(UInt16(clamping: engine.value(channel, at: now)))
        }
        switch attribute {
        case Attribute.enhancedCurrentHue: return number(.hue)
        // The last value of eight bits is not a hue.
        case Attribute.currentHue: return .number(UInt8(min(engine.value(.hue, at: now) >> 8, 254)))
        case Attribute.currentSaturation: return number(.saturation)
        case Attribute.currentX: return number(.x)
        case Attribute.currentY: return number(.y)
        case Attribute.colorTemperatureMireds: return number(.mireds)
        case Attribute.remainingTime:
            // The loop has no end to wait for.
            return .number(isLooping(context) ? 0 : engine.remaining(at: now))
        default: return nil
        }
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let (action, mask, override) = try Self.understood(command)
        let options = (context.number(Attribute.options, as: UInt8.self) ?? 0) & ~mask | override & mask
        let isOn = context.sibling(OnOff.id)?.bool(OnOff.Attribute.onOff) ?? true
        // A light that is off heeds commands with ExecuteIfOff only; to the others it says yes and does nothing.
        guard isOn || options & 1 != 0 else { return .success }
        perform(action, context)
        publish(context)
        return .success
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) { publish(context) }

    /// Colour temperature follows the level, where Level Control is told so.
    mutating func siblingChanged(_ cluster: ClusterID, _ attribute: AttributeID, _ context: ClusterContext) {
        guard let mireds = Self.coupledMireds(cluster, attribute, context) else { return }
        engine.set(.mireds, mireds)
        publish(context)
    }

    /// The colour temperature that a change of a sibling brings, the dimmer the warmer; `nil` if it is not the level's, or
    /// the two are not coupled.
    static func coupledMireds(_ cluster: ClusterID, _ attribute: AttributeID, _ context: ClusterContext) -> Int? {
        guard cluster == LevelControl.id, attribute == LevelControl.Attribute.currentLevel,
            let sibling = context.sibling(cluster),
            let options: UInt8 = sibling.number(LevelControl.Attribute.options), options & coupleColorTempToLevel != 0,
            context.number(Attribute.colorMode) == Mode.colorTemperatureMireds.rawValue,
            let level: Int = sibling.number(LevelControl.Attribute.currentLevel)
        else { return nil }
        let dimmed = levels.upperBound - min(max(level, levels.lowerBound), levels.upperBound)
        return coldest + (warmest - coldest) * dimmed / (levels.upperBound - levels.lowerBound)
    }

    // MARK: State

    func isLooping(_ context: ClusterContext) -> Bool { context.number(Attribute.colorLoopActive) == 1 }

    func setMode(_ mode: Mode, _ context: ClusterContext) {
        context[Attribute.colorMode] = mode.plain.tlv
        context[Attribute.enhancedColorMode] = mode.tlv
    }

    /// Makes the attributes what the light shows, and comes back as long as it changes.
    private mutating func publish(_ context: ClusterContext) {
        engine.settle(at: context.now)
        for attribute in [
            Attribute.enhancedCurrentHue, Attribute.currentHue, Attribute.currentSaturation,
            Attribute.currentX, Attribute.currentY, Attribute.colorTemperatureMireds, Attribute.remainingTime,
        ] {
            if let value = value(of: attribute, context) { context[attribute] = value }
        }
        if let next = engine.nextStep(after: context.now) {
            context.schedule(Self.timer, at: next)
        } else {
            context.cancel(Self.timer)
        }
    }
}
