import MatterModel

/// The values that commands show together.
extension Reading {
    /// What sensors measure.
    public static let sensors =
        [
            Reading(
                TemperatureMeasurement.id, TemperatureMeasurement.Attribute.measuredValue, "temperature"),
            Reading(Thermostat.id, Thermostat.Attribute.localTemperature, "temperature"),
            Reading(Thermostat.id, Thermostat.Attribute.outdoorTemperature, "outdoor temperature"),
            Reading(
                RelativeHumidityMeasurement.id, RelativeHumidityMeasurement.Attribute.measuredValue,
                "relative humidity"),
            Reading(PressureMeasurement.id, PressureMeasurement.Attribute.measuredValue, "pressure"),
            Reading(FlowMeasurement.id, FlowMeasurement.Attribute.measuredValue, "flow"),
            Reading(IlluminanceMeasurement.id, IlluminanceMeasurement.Attribute.measuredValue, "illuminance"),
            Reading(OccupancySensing.id, OccupancySensing.Attribute.occupancy, "occupancy", .occupancy),
            Reading(BooleanState.id, BooleanState.Attribute.stateValue, "state"),
            Reading(AirQuality.id, AirQuality.Attribute.airQuality, "air quality"),
        ]
        + [
            (0x040C, "carbon monoxide"), (0x040D, "carbon dioxide"), (0x0413, "nitrogen dioxide"), (0x0415, "ozone"),
            (0x042A, "PM2.5"), (0x042B, "formaldehyde"), (0x042C, "PM1"), (0x042D, "PM10"),
            (0x042E, "volatile organic compounds"), (0x042F, "radon"),
        ].map { Reading(ClusterID($0.0), 0, $0.1, .concentration) }

    /// The temperatures and the mode of a thermostat.
    public static let thermostat = [
        (Thermostat.Attribute.localTemperature, "temperature"),
        (Thermostat.Attribute.outdoorTemperature, "outdoor temperature"),
        (Thermostat.Attribute.systemMode, "mode"), (Thermostat.Attribute.thermostatRunningMode, "running"),
        (Thermostat.Attribute.occupiedHeatingSetpoint, "heat to"),
        (Thermostat.Attribute.occupiedCoolingSetpoint, "cool to"),
    ].map { Reading(Thermostat.id, $0.0, $0.1) }

    /// What a device says of its batteries.
    public static let battery = [
        (PowerSource.Attribute.batPercentRemaining, "battery"), (PowerSource.Attribute.batChargeLevel, "charge level"),
        (PowerSource.Attribute.batReplacementNeeded, "replacement needed"),
        (PowerSource.Attribute.batVoltage, "voltage"), (PowerSource.Attribute.batTimeRemaining, "time left"),
        (PowerSource.Attribute.batChargeState, "charging"),
        (PowerSource.Attribute.batTimeToFullCharge, "time to full"),
    ].map { Reading(PowerSource.id, $0.0, $0.1) }

    /// The power, voltage and current that a device measures.
    public static let energy =
        [
            (ElectricalPowerMeasurement.Attribute.activePower, "power"),
            (ElectricalPowerMeasurement.Attribute.voltage, "voltage"),
            (ElectricalPowerMeasurement.Attribute.activeCurrent, "current"),
            (ElectricalPowerMeasurement.Attribute.rmsPower, "RMS power"),
            (ElectricalPowerMeasurement.Attribute.rmsVoltage, "RMS voltage"),
            (ElectricalPowerMeasurement.Attribute.rmsCurrent, "RMS current"),
            (ElectricalPowerMeasurement.Attribute.reactivePower, "reactive power"),
            (ElectricalPowerMeasurement.Attribute.apparentPower, "apparent power"),
            (ElectricalPowerMeasurement.Attribute.frequency, "frequency"),
            (ElectricalPowerMeasurement.Attribute.powerFactor, "power factor"),
        ].map { Reading(ElectricalPowerMeasurement.id, $0.0, $0.1) }
        + [
            (ElectricalEnergyMeasurement.Attribute.cumulativeEnergyImported, "energy used"),
            (ElectricalEnergyMeasurement.Attribute.cumulativeEnergyExported, "energy returned"),
            (ElectricalEnergyMeasurement.Attribute.periodicEnergyImported, "energy used lately"),
            (ElectricalEnergyMeasurement.Attribute.periodicEnergyExported, "energy returned lately"),
        ].map { Reading(ElectricalEnergyMeasurement.id, $0.0, $0.1, .energy) }

    /// The occupancy that motion sensors detect.
    public static let motion = [
        Reading(OccupancySensing.id, OccupancySensing.Attribute.occupancy, "occupancy", .occupancy)
    ]

    /// The positions of buttons and switches.
    public static let button = [Reading(Switch.id, Switch.Attribute.currentPosition, "position")]

    /// The state of a valve.
    public static let valve = [
        (ValveConfigurationAndControl.Attribute.currentState, "state"),
        (ValveConfigurationAndControl.Attribute.targetState, "moving to"),
        (ValveConfigurationAndControl.Attribute.currentLevel, "level"),
        (ValveConfigurationAndControl.Attribute.remainingDuration, "closes in"),
        (ValveConfigurationAndControl.Attribute.valveFault, "fault"),
    ].map { Reading(ValveConfigurationAndControl.id, $0.0, $0.1) }

    /// What a vacuum cleaner does.
    public static let vacuum = [
        Reading(
            RvcOperationalState.id, RvcOperationalState.Attribute.operationalState, "state",
            .named("OperationalStateEnum")),
        Reading(
            RvcOperationalState.id, RvcOperationalState.Attribute.operationalError, "error", .named("ErrorStateEnum")),
        Reading(RvcOperationalState.id, RvcOperationalState.Attribute.countdownTime, "time left"),
    ]

    /// What a player plays.
    public static let media = [
        Reading(MediaPlayback.id, MediaPlayback.Attribute.currentState, "state"),
        Reading(MediaPlayback.id, MediaPlayback.Attribute.playbackSpeed, "speed"),
        Reading(MediaPlayback.id, MediaPlayback.Attribute.duration, "length", .unit(.milliseconds)),
        Reading(LevelControl.id, LevelControl.Attribute.currentLevel, "volume", on: .speaker),
        Reading(OnOff.id, OnOff.Attribute.onOff, "sound on", on: .speaker),
    ]
}
