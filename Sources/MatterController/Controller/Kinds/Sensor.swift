import MatterModel

/// Whatever measures (Matter application cluster specification 2).
enum SensorKind: DeviceKindDeclaration {
    static let name = "sensor"
    static let measured =
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

    static let kind = DeviceKind(
        name, "Every value that a device measures.", example: "attic", trait: "has a sensor",
        synonyms: ["sensors", "measure", "temperature", "temp", "humidity", "contact"],
        readings: measured + EnergyKind.kind.readings,
        glance: measured.filter { $0.cluster != Thermostat.id }, isMeter: true)
}

/// Motion sensors (Matter application cluster specification 2.7).
enum MotionKind: DeviceKindDeclaration {
    static let name = "motion"
    static let kind = DeviceKind(
        name, "Motion sensors: whether they detect people.", example: "hall --watch", trait: "has a motion sensor",
        synonyms: ["presence", "occupancy"],
        readings: [Reading(OccupancySensing.id, OccupancySensing.Attribute.occupancy, "occupancy", .occupancy)],
        news: .more { value in
            let bits: UInt8? = value.integer()
            return bits.map { [DeviceNews.Field("occupied", .bool($0 & 1 == 1))] } ?? []
        })
}

/// Meters of power and energy (Matter application cluster specification 2.12 and 2.13).
enum EnergyKind: DeviceKindDeclaration {
    static let name = "energy"
    static let kind = DeviceKind(
        name, "The power, voltage, current and energy that a device measures.", example: "heater",
        trait: "measures energy", synonyms: ["power", "meter"],
        readings: [
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
            ].map { Reading(ElectricalEnergyMeasurement.id, $0.0, $0.1, .energy) },
        glance: [
            Reading(
                ElectricalPowerMeasurement.id, ElectricalPowerMeasurement.Attribute.activePower, "power",
                glance: .say { value, _ in value.integer().map(power) })
        ], isMeter: true)

    /// Whole watts; tenths below ten.
    private static func power(_ milliwatts: Int64) -> String {
        let tenths = (milliwatts.magnitude + 50) / 100
        let sign = milliwatts < 0 && tenths > 0 ? "-" : ""
        return sign + (tenths < 100 ? "\(tenths / 10).\(tenths % 10) W" : "\((milliwatts.magnitude + 500) / 1000) W")
    }
}

/// Batteries (Matter core specification 11.7).
enum BatteryKind: DeviceKindDeclaration {
    static let name = "battery"
    static let kind = DeviceKind(
        name, "What a device says of its batteries.", example: "attic", trait: "reports a battery",
        synonyms: ["batteries", "charge"],
        readings: [
            (PowerSource.Attribute.batPercentRemaining, "battery"),
            (PowerSource.Attribute.batChargeLevel, "charge level"),
            (PowerSource.Attribute.batReplacementNeeded, "replacement needed"),
            (PowerSource.Attribute.batVoltage, "voltage"), (PowerSource.Attribute.batTimeRemaining, "time left"),
            (PowerSource.Attribute.batChargeState, "charging"),
            (PowerSource.Attribute.batTimeToFullCharge, "time to full"),
        ].map { Reading(PowerSource.id, $0.0, $0.1) })
}
