import MatterBase
package import MatterModel

/// A command that a node carries out at once, and the attribute that tells what came of it.
package struct Verb: DeviceVerb {
    package let cluster: ClusterID
    private let request: DeviceRequest

    private init(
        _ cluster: ClusterID, _ command: CommandID, _ fields: TLVValue? = nil, attribute: AttributeID,
        dependsOnLight: Bool = false, goal: TLVValue? = nil, transition: Duration = .zero
    ) {
        self.cluster = cluster
        request = DeviceRequest(
            .invoke(command, fields), attribute: attribute, goal: goal, transition: transition,
            dependsOnLight: dependsOnLight)
    }

    package var asksFirst: Bool { false }

    package func request(_: DeviceFacts) -> DeviceRequest { request }

    /// How a light goes off: EffectIdentifierEnum of the OnOff cluster (1.5.5.3).
    package enum OffEffect: UInt8, Sendable {
        case delayedAllOff = 0
        case dyingLight = 1
    }

    private static func onOff(_ command: CommandID, _ fields: TLVValue? = nil, isOn: Bool? = nil) -> Verb {
        Verb(OnOff.id, command, fields, attribute: OnOff.Attribute.onOff, goal: isOn?.tlv)
    }

    package static let on = onOff(OnOff.Command.on, isOn: true)
    package static let off = onOff(OnOff.Command.off, isOn: false)
    package static let toggle = onOff(OnOff.Command.toggle)

    package static func off(_ effect: OffEffect, variant: UInt8 = 0) -> Verb {
        onOff(
            OnOff.Command.offWithEffect,
            .structure([
                TLVElement(0, .uint(UInt64(effect.rawValue))), TLVElement(1, .uint(UInt64(variant))),
            ]), isOn: false)
    }

    /// Shows which device it is, for a time (1.2.6.1).
    ///
    /// - Parameter seconds: 0 ends it.
    package static func identify(seconds: UInt16) -> Verb {
        Verb(
            Identify.id, Identify.Command.identify, .structure([TLVElement(0, .uint(UInt64(seconds)))]),
            attribute: Identify.Attribute.identifyTime)
    }

    /// - Parameters:
    ///   - level: 0 to 254.
    ///   - transition: how long the change takes, at most 6553 s; the device chooses by default.
    ///   - switches: whether a light that is off comes on, and level 0 switches it off.
    ///   - options: OptionsMask and OptionsOverride (1.6.6.2), where it does not switch.
    package static func level(
        _ level: UInt8, transition: Duration? = nil, switches: Bool = true,
        options: (mask: UInt8, override: UInt8) = (0, 0)
    ) -> Verb {
        Verb(
            LevelControl.id,
            switches ? LevelControl.Command.moveToLevelWithOnOff : LevelControl.Command.moveToLevel,
            .structure([
                TLVElement(0, .uint(UInt64(level))), TLVElement(1, tenths(transition)),
                TLVElement(2, .uint(UInt64(options.mask))), TLVElement(3, .uint(UInt64(options.override))),
            ]), attribute: LevelControl.Attribute.currentLevel,
            // CurrentLevel keeps its last or least value while the light is off.
            dependsOnLight: switches,
            // A light that is switched off may keep its level, and one that is off stays as it is.
            goal: switches && level > 0 ? level.tlv : nil, transition: transition ?? .zero)
    }

    /// Dims by a step from the level that the light has (1.6.7.3). The device stops at its ends. It is sent at most once.
    ///
    /// - Parameters:
    ///   - step: -254 to 254 and not 0; positive is up.
    ///   - transition: how long the change takes, at most 6553 s; the device chooses by default.
    ///   - switches: whether a light that is off comes on, and one that gets to its lowest level goes off.
    ///   - options: OptionsMask and OptionsOverride (1.6.6.2), where it does not switch.
    package static func levelStep(
        _ step: Int, transition: Duration? = nil, switches: Bool = true,
        options: (mask: UInt8, override: UInt8) = (0, 0)
    ) -> Verb {
        Verb(
            LevelControl.id, switches ? LevelControl.Command.stepWithOnOff : LevelControl.Command.step,
            .structure([
                TLVElement(0, .uint(step > 0 ? 0 : 1)), TLVElement(1, .uint(UInt64(min(step.magnitude, 254)))),
                TLVElement(2, tenths(transition)), TLVElement(3, .uint(UInt64(options.mask))),
                TLVElement(4, .uint(UInt64(options.override))),
            ]), attribute: LevelControl.Attribute.currentLevel, dependsOnLight: switches,
            transition: transition ?? .zero)
    }

    /// A transition time; null lets the device choose its own pace.
    private static func tenths(_ transition: Duration?) -> TLVValue {
        transition.map { .uint(UInt64($0 / .milliseconds(100))) } ?? .null
    }

    /// The volume of a speaker, which changes also while the speaker is off.
    ///
    /// - Parameter level: 0 to 254.
    package static func volume(_ level: UInt8) -> Verb {
        let executeIfOff = LevelControl.Options.executeIfOff.rawValue
        return .level(level, switches: false, options: (executeIfOff, executeIfOff))
    }
}
