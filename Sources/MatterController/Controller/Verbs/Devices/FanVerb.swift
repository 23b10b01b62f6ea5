public import MatterModel

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

    /// What is sent to a device of which these facts are known.
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
