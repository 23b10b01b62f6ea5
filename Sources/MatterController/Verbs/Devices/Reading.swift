package import MatterDataModel
package import MatterTLV

/// A value that devices measure or tell of themselves, and how it is said.
package struct Reading: Sendable {
    /// What one step of the number is worth.
    package enum Scale: Sendable {
        /// As the data model says.
        case model
        /// In the unit that the cluster's MeasurementUnit names.
        case concentration
        /// A bitmap whose first bit says that somebody is there.
        case occupancy
    }

    package let cluster: ClusterID
    package let attribute: AttributeID
    /// What it is, for people and programs.
    package let name: String
    package let scale: Scale

    init(_ cluster: ClusterID, _ attribute: AttributeID, _ name: String, _ scale: Scale = .model) {
        self.cluster = cluster
        self.attribute = attribute
        self.name = name
        self.scale = scale
    }

    /// MeasurementUnit of the clusters of concentrations (2.10.6).
    static let measurementUnit = AttributeID(0x0008)
    private static let concentrationUnits = ["ppm", "ppb", "ppt", "mg/m³", "µg/m³", "ng/m³", "particles/m³", "Bq/m³"]

    /// What sensors measure.
    package static let sensors =
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
    package static let thermostat = [
        (Thermostat.Attribute.localTemperature, "temperature"),
        (Thermostat.Attribute.outdoorTemperature, "outdoor temperature"),
        (Thermostat.Attribute.systemMode, "mode"), (Thermostat.Attribute.thermostatRunningMode, "running"),
        (Thermostat.Attribute.occupiedHeatingSetpoint, "heat to"),
        (Thermostat.Attribute.occupiedCoolingSetpoint, "cool to"),
    ].map { Reading(Thermostat.id, $0.0, $0.1) }

    /// What a device says of its batteries.
    package static let battery = [
        (PowerSource.Attribute.batPercentRemaining, "battery"), (PowerSource.Attribute.batChargeLevel, "charge level"),
        (PowerSource.Attribute.batReplacementNeeded, "replacement needed"),
        (PowerSource.Attribute.batVoltage, "voltage"), (PowerSource.Attribute.batTimeRemaining, "time left"),
        (PowerSource.Attribute.batChargeState, "charging"),
        (PowerSource.Attribute.batTimeToFullCharge, "time to full"),
    ].map { Reading(PowerSource.id, $0.0, $0.1) }
}

extension Reading {
    /// One step of the number; `nil` if it has no unit.
    ///
    /// - Parameter measured: the value of MeasurementUnit, of a concentration.
    package func unit(measured: TLVValue? = nil) -> String? {
        switch scale {
        case .model: type?.unit?.text
        case .concentration: Self.concentrationUnit(measured)
        case .occupancy: nil
        }
    }

    /// The value for people, with its unit.
    package func text(_ value: TLVValue, measured: TLVValue? = nil) -> String {
        if case .null = value { return "unknown" }
        let plain = ValuePrinter().text(value, as: type)
        switch scale {
        case .model: return ValuePrinter().meaning(value, as: type) ?? plain
        case .concentration: return [plain, Self.concentrationUnit(measured)].compactMap { $0 }.joined(separator: " ")
        case .occupancy:
            guard let bits: UInt64 = value.integer() else { return plain }
            return bits & 1 == 1 ? "occupied" : "unoccupied"
        }
    }

    package var type: DataType? { Catalogue.standard.attribute(cluster: cluster, attribute)?.type }

    private static func concentrationUnit(_ value: TLVValue?) -> String? {
        guard let number: Int = value?.integer(), concentrationUnits.indices.contains(number) else { return nil }
        return concentrationUnits[number]
    }
}
