public import MatterModel

/// Fans (Matter application cluster specification 4.4).
enum FanKind: DeviceKindDeclaration {
    static let name = "fan"
    private typealias Attribute = FanControl.Attribute

    /// On and Smart are no longer to be used (4.4.5.1).
    private static let modes = ValueForm<FanControl.FanMode>([.off, .low, .medium, .high, .auto])

    /// A mode, or a share in whole percent.
    static let speed = ValueForm<FanVerb>(
        "0%–100%, off, low, medium, high or auto", offers: modes.offers + ["25%", "50%", "75%", "100%"]
    ) { word in
        if let mode = modes.last([word])?.value { return .mode(mode) }
        let percent = ValueForm<UInt8>("", offers: [], as: .percent, bare: "%", in: 0...100)
        return percent.last([word]).map { .percent($0.value) }
    }

    static let kind = DeviceKind(
        name, "Fans.", example: "desk 30%", trait: "is a fan", synonyms: ["speed", "ventilator"],
        readings: [
            Reading(FanControl.id, Attribute.percentCurrent, "speed"),
            Reading(FanControl.id, Attribute.fanMode, "mode"),
            Reading(FanControl.id, Attribute.percentSetting, "speed to reach"),
            Reading(FanControl.id, Attribute.airflowDirection, "airflow"),
        ],
        glance: [
            Reading(
                FanControl.id, Attribute.percentCurrent, "speed",
                glance: .instead { $0.integer() == UInt8(0) ? "still" : nil })
        ],
        verbs: [
            .init("speed", "Set the speed: a share or a mode.", value: speed, isUsual: true) { verb, _ in verb },
            .init("mode", "Set the mode.", value: modes) { mode, _ in FanVerb.mode(mode) },
            .init(
                "airflow", "Set the direction of the air.",
                value: ValueForm<FanControl.AirflowDirection>([.forward, .reverse])
            ) { direction, _ in FanVerb.airflow(direction) },
        ])
}

/// Sets the speed or the mode of a fan (Matter application cluster specification 4.4).
public enum FanVerb: DeviceVerb {
    /// Sets the mode.
    case mode(FanControl.FanMode)
    /// 0 to 100; 0 switches it off.
    case percent(UInt8)
    /// Sets the direction of the air.
    case airflow(FanControl.AirflowDirection)

    /// The cluster that is controlled.
    public var cluster: ClusterID { FanControl.id }

    /// The commands for a device with these facts.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        switch self {
        case .mode(let mode):
            if let sequence = facts.value(FanControl.fanModeSequence), sequence.isKnown,
                !sequence.modes.contains(mode)
            {
                throw facts.lack(
                    "has no mode '\(mode)', only \(sequence.modes.map { "\($0)" }.joined(separator: ", "))")
            }
            return DeviceRequest(write: FanControl.fanMode, mode)
        case .percent(let percent):
            return DeviceRequest(write: FanControl.percentSetting, percent)
        case .airflow(let direction):
            try facts.require(FanControl.Feature.airflowDirection, "direction of the air")
            return DeviceRequest(write: FanControl.airflowDirection, direction)
        }
    }
}

extension FanControl.FanModeSequence {
    fileprivate var modes: [FanControl.FanMode] {
        switch self {
        case .offLowMedHigh: [.off, .low, .medium, .high]
        case .offLowHigh: [.off, .low, .high]
        case .offLowMedHighAuto: [.off, .low, .medium, .high, .auto]
        case .offLowHighAuto: [.off, .low, .high, .auto]
        case .offHighAuto: [.off, .high, .auto]
        case .offHigh: [.off, .high]
        default: []
        }
    }
}
