import MatterModel

extension Reading {
    /// What tells the state of a device at a glance.
    static let state =
        [
            (OnOff.id, OnOff.Attribute.onOff, "on"),
            (LevelControl.id, LevelControl.Attribute.currentLevel, "level"),
            (DoorLock.id, DoorLock.Attribute.lockState, "lock"),
            (WindowCovering.id, WindowCovering.Attribute.currentPositionLiftPercent100ths, "position"),
            (FanControl.id, FanControl.Attribute.percentCurrent, "speed"),
            (ValveConfigurationAndControl.id, ValveConfigurationAndControl.Attribute.currentState, "valve"),
            (MediaPlayback.id, MediaPlayback.Attribute.currentState, "playback"),
            (ElectricalPowerMeasurement.id, ElectricalPowerMeasurement.Attribute.activePower, "power"),
            (PowerSource.id, PowerSource.Attribute.batPercentRemaining, "battery"),
            (BridgedDeviceBasicInformation.id, BridgedDeviceBasicInformation.Attribute.reachable, "reachable"),
            (BasicInformation.id, BasicInformation.Attribute.softwareVersionString, "firmware"),
        ].map { Reading($0.0, $0.1, $0.2) } + [
            Reading(
                RvcOperationalState.id, RvcOperationalState.Attribute.operationalState, "cleaner",
                .named("OperationalStateEnum"))
        ] + thermostat.filter { $0.name != "running" }
        + sensors.filter { $0.cluster != Thermostat.id }
}
