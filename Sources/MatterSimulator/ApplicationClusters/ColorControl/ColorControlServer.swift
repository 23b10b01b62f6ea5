package import MatterTLV
import MatterTransport

/// Color Control with all features (Matter application cluster specification 3.2): hue and saturation, enhanced hue, the
/// colour loop, xy and colour temperature.
package struct ColorControlServer: ClusterServer {
    private static let timer = "step"
    static let coldest = ColorTemperatureServer.coldest
    static let warmest = ColorTemperatureServer.warmest
    /// HS, EHUE, CL, XY and CT.
    private static let allFeatures: UInt32 = 0x1F
    private static let levels = 1...254
    /// In the Options of Level Control.
    private static let coupleColorTempToLevel: UInt8 = 1 << 1
    private static let levelOptions: UInt32 = 0x0F
    private static let currentLevel: UInt32 = 0

    package let id = ClusterID.colorControl
    package let featureMap = ColorControlServer.allFeatures
    package let acceptedCommands = ColorCommand.allCases.map(\.rawValue)
    package let persistentAttributes: Set<UInt32> = [
        ColorAttribute.currentHue, ColorAttribute.currentSaturation, ColorAttribute.currentX, ColorAttribute.currentY,
        ColorAttribute.mireds, ColorAttribute.colorMode, ColorAttribute.options, ColorAttribute.enhancedHue,
        ColorAttribute.enhancedColorMode, ColorAttribute.startUpMireds,
    ]
    package let quietAttributes: Set<UInt32> = [ColorAttribute.remainingTime]
    package let observedClusters: Set<UInt32> = [ClusterID.levelControl]
    package let initialAttributes: [UInt32: TLVValue] = [
        ColorAttribute.currentHue: .uint(0), ColorAttribute.currentSaturation: .uint(0),
        ColorAttribute.remainingTime: .uint(0), ColorAttribute.currentX: .uint(0x616B),
        ColorAttribute.currentY: .uint(0x607D), ColorAttribute.mireds: .uint(250),
        ColorAttribute.colorMode: .number(ColorMode.temperature.rawValue), ColorAttribute.options: .uint(0),
        ColorAttribute.numberOfPrimaries: .uint(0), ColorAttribute.enhancedHue: .uint(0),
        ColorAttribute.enhancedColorMode: .number(ColorMode.temperature.rawValue),
        ColorAttribute.loopActive: .uint(0), ColorAttribute.loopDirection: .uint(0),
        ColorAttribute.loopTime: .uint(25), ColorAttribute.loopStartHue: .uint(0x2300),
        ColorAttribute.loopStoredHue: .uint(0), ColorAttribute.capabilities: .number(UInt16(allFeatures)),
        ColorAttribute.coldestMireds: .uint(UInt64(coldest)), ColorAttribute.warmestMireds: .uint(UInt64(warmest)),
        ColorAttribute.coupleMinimumMireds: .uint(UInt64(coldest)), ColorAttribute.startUpMireds: .null,
    ]

    var engine = ColorEngine()

    package init() {}

    package mutating func start(_ context: ClusterContext) {
        engine = ColorEngine()
        engine.set(.hue, context.number(ColorAttribute.enhancedHue) ?? 0)
        engine.set(.saturation, context.number(ColorAttribute.currentSaturation) ?? 0)
        engine.set(.x, context.number(ColorAttribute.currentX) ?? 0)
        engine.set(.y, context.number(ColorAttribute.currentY) ?? 0)
        engine.set(.mireds, context.number(ColorAttribute.mireds) ?? Self.coldest)
        if let mireds: Int = context.number(ColorAttribute.startUpMireds) {
            engine.set(.mireds, min(max(mireds, Self.coldest), Self.warmest))
            setMode(.temperature, context)
        }
        publish(context)
    }

    /// What is on its way is computed when somebody asks.
    package func read(_ attribute: UInt32, _ context: ClusterContext) -> TLVValue? {
        engine.isMoving ? value(of: attribute, context) : nil
    }

    private func value(of attribute: UInt32, _ context: ClusterContext) -> TLVValue? {
        let now = context.now
        func number(_ channel: ColorEngine.Channel) -> TLVValue {
            .number(UInt16(clamping: engine.value(channel, at: now)))
        }
        switch attribute {
        case ColorAttribute.enhancedHue: return number(.hue)
        // The last value of eight bits is not a hue.
        case ColorAttribute.currentHue: return .number(UInt8(min(engine.value(.hue, at: now) >> 8, 254)))
        case ColorAttribute.currentSaturation: return number(.saturation)
        case ColorAttribute.currentX: return number(.x)
        case ColorAttribute.currentY: return number(.y)
        case ColorAttribute.mireds: return number(.mireds)
        case ColorAttribute.remainingTime:
            // The loop has no end to wait for.
            return .number(isLooping(context) ? 0 : engine.remaining(at: now))
        default: return nil
        }
    }

    package mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard let name = ColorCommand(rawValue: command.id) else { throw .unsupportedCommand }
        let mask: UInt8 = try command.unsigned(name.optionsTag)
        let override: UInt8 = try command.unsigned(name.optionsTag + 1)
        let options = (context.number(ColorAttribute.options, as: UInt8.self) ?? 0) & ~mask | override & mask
        let isOn = context.sibling(ClusterID.onOff)?.bool(OnOffServer.Attribute.onOff) ?? true
        let action = try action(name, command)
        // A light that is off heeds commands with ExecuteIfOff only; to the others it says yes and does nothing.
        guard isOn || options & 1 != 0 else { return .success }
        perform(action, context)
        publish(context)
        return .success
    }

    package mutating func timerFired(_ timer: String, _ context: ClusterContext) { publish(context) }

    /// Colour temperature follows the level, where Level Control is told so.
    package mutating func siblingChanged(_ cluster: UInt32, _ attribute: UInt32, _ context: ClusterContext) {
        guard let mireds = Self.coupledMireds(cluster, attribute, context) else { return }
        engine.set(.mireds, mireds)
        publish(context)
    }

    /// The colour temperature that a change of a sibling brings, the dimmer the warmer; `nil` if it is not the level's, or
    /// the two are not coupled.
    static func coupledMireds(_ cluster: UInt32, _ attribute: UInt32, _ context: ClusterContext) -> Int? {
        guard cluster == ClusterID.levelControl, attribute == currentLevel,
            let sibling = context.sibling(cluster),
            let options: UInt8 = sibling.number(levelOptions), options & coupleColorTempToLevel != 0,
            context.number(ColorAttribute.colorMode) == ColorMode.temperature.rawValue,
            let level: Int = sibling.number(currentLevel)
        else { return nil }
        let dimmed = levels.upperBound - min(max(level, levels.lowerBound), levels.upperBound)
        return coldest + (warmest - coldest) * dimmed / (levels.upperBound - levels.lowerBound)
    }

    // MARK: State

    func isLooping(_ context: ClusterContext) -> Bool { context.number(ColorAttribute.loopActive) == 1 }

    func setMode(_ mode: ColorMode, _ context: ClusterContext) {
        context[ColorAttribute.colorMode] = .number(mode.plain)
        context[ColorAttribute.enhancedColorMode] = .number(mode.rawValue)
    }

    /// Makes the attributes what the light shows, and comes back as long as it changes.
    private mutating func publish(_ context: ClusterContext) {
        engine.settle(at: context.now)
        for attribute in [
            ColorAttribute.enhancedHue, ColorAttribute.currentHue, ColorAttribute.currentSaturation,
            ColorAttribute.currentX, ColorAttribute.currentY, ColorAttribute.mireds, ColorAttribute.remainingTime,
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
