public import MatterModel

/// A command that a node carries out at once, and the attribute that tells what came of it.
public struct Verb: DeviceVerb {
    /// The cluster that is controlled.
    public let cluster: ClusterID
    private let request: DeviceRequest

    private init(
        _ command: some ClusterCommand, attribute: AttributeID, dependsOnLight: Bool = false, goal: TLVValue? = nil,
        transition: Duration = .zero
    ) {
        cluster = type(of: command).cluster
        request = DeviceRequest(
            .command(command), attribute: attribute, goal: goal, transition: transition,
            dependsOnLight: dependsOnLight)
    }

    /// Most need to know nothing first.
    public var asksFirst: Bool { false }

    /// The message, which is the same for all devices.
    public func request(_: DeviceFacts) -> DeviceRequest { request }

    private static func onOff(_ command: some ClusterCommand, isOn: Bool? = nil) -> Verb {
        Verb(command, attribute: OnOff.Attribute.onOff, goal: isOn?.tlv)
    }

    /// Switches on.
    public static let on = onOff(OnOff.On(), isOn: true)
    /// Switches off.
    public static let off = onOff(OnOff.Off(), isOn: false)
    /// Switches over.
    public static let toggle = onOff(OnOff.Toggle())

    /// Switches off with an effect.
    ///
    /// - Parameter variant: the number of the effect's variant (Matter application cluster specification 1.5.7.4.2).
    public static func off(_ effect: OnOff.EffectIdentifier, variant: UInt8 = 0) -> Verb {
        onOff(OnOff.OffWithEffect(effectIdentifier: effect, effectVariant: variant), isOn: false)
    }

    /// Shows which device it is, for a time (1.2.6.1).
    ///
    /// - Parameter seconds: 0 ends it.
    public static func identify(seconds: UInt16) -> Verb {
        Verb(Identify.Identify(identifyTime: seconds), attribute: Identify.Attribute.identifyTime)
    }

    /// - Parameters:
    ///   - level: 0 to 254.
    ///   - transition: how long the change takes, at most 6553 s; the device chooses by default.
    ///   - switches: whether a light that is off comes on, and level 0 switches it off.
    ///   - options: OptionsMask and OptionsOverride (1.6.6.2), where it does not switch.
    public static func level(
        _ level: UInt8, transition: Duration? = nil, switches: Bool = true,
        options: (mask: LevelControl.Options, override: LevelControl.Options) = ([], [])
    ) -> Verb {
        func verb(_ command: some ClusterCommand) -> Verb {
            Verb(
                command, attribute: LevelControl.Attribute.currentLevel,
                // CurrentLevel keeps its last or least value while the light is off.
                dependsOnLight: switches,
                // A light that is switched off may keep its level, and one that is off stays as it is.
                goal: switches && level > 0 ? level.tlv : nil, transition: transition ?? .zero)
        }
        let time = tenths(transition)
        guard switches else {
            return verb(
                LevelControl.MoveToLevel(
                    level: level, transitionTime: time, optionsMask: options.mask, optionsOverride: options.override))
        }
        return verb(
            LevelControl.MoveToLevelWithOnOff(
                level: level, transitionTime: time, optionsMask: options.mask, optionsOverride: options.override))
    }

    /// Dims by a step from the level that the light has (1.6.7.3). The device stops at its ends. It is sent at most once.
    ///
    /// - Parameters:
    ///   - step: -254 to 254 and not 0; positive is up.
    ///   - transition: how long the change takes, at most 6553 s; the device chooses by default.
    ///   - switches: whether a light that is off comes on, and one that gets to its lowest level goes off.
    ///   - options: OptionsMask and OptionsOverride (1.6.6.2), where it does not switch.
    public static func levelStep(
        _ step: Int, transition: Duration? = nil, switches: Bool = true,
        options: (mask: LevelControl.Options, override: LevelControl.Options) = ([], [])
    ) -> Verb {
        func verb(_ command: some ClusterCommand) -> Verb {
            Verb(
                command, attribute: LevelControl.Attribute.currentLevel, dependsOnLight: switches,
                transition: transition ?? .zero)
        }
        let mode: LevelControl.StepMode = step > 0 ? .up : .down
        let (size, time) = (UInt8(min(step.magnitude, 254)), tenths(transition))
        guard switches else {
            return verb(
                LevelControl.Step(
                    stepMode: mode, stepSize: size, transitionTime: time, optionsMask: options.mask,
                    optionsOverride: options.override))
        }
        return verb(
            LevelControl.StepWithOnOff(
                stepMode: mode, stepSize: size, transitionTime: time, optionsMask: options.mask,
                optionsOverride: options.override))
    }

    /// A transition time; null lets the device choose its own pace.
    private static func tenths(_ transition: Duration?) -> UInt16? {
        transition.map { UInt16(clamping: Int64($0 / .milliseconds(100))) }
    }

    /// The volume of a speaker, which changes also while the speaker is off.
    ///
    /// - Parameter level: 0 to 254.
    public static func volume(_ level: UInt8) -> Verb {
        .level(level, switches: false, options: (.executeIfOff, .executeIfOff))
    }
}
