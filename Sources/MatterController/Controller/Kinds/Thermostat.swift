public import MatterModel

/// Heating and cooling (Matter application cluster specification 4.3).
enum ThermostatKind: DeviceKindDeclaration {
    static let name = "thermostat"
    private typealias Attribute = Thermostat.Attribute

    /// SystemModeEnum, in the order of the page.
    private static let modes = ValueForm<Thermostat.SystemMode>([
        .off, .auto, .cool, .heat, .precooling, .dry, .sleep, .emergencyHeat, .fanOnly,
    ])

    static var repeatable: [ClusterID: Set<String>] {
        [Thermostat.id: ["GetWeeklySchedule", "SetActiveScheduleRequest", "SetActivePresetRequest"]]
    }

    static let kind = DeviceKind(
        name, "Heating and cooling.",
        details: "The mode stays as it is when a temperature is set; 'thermostat mode' changes it.", example: "hall 21",
        trait: "is a thermostat",
        synonyms: ["heat", "cool", "heating"],
        readings: [
            Reading(Thermostat.id, Attribute.localTemperature, "temperature"),
            Reading(Thermostat.id, Attribute.outdoorTemperature, "outdoor temperature"),
            Reading(Thermostat.id, Attribute.systemMode, "mode"),
            Reading(Thermostat.id, Attribute.thermostatRunningMode, "running"),
            Reading(Thermostat.id, Attribute.occupiedHeatingSetpoint, "heat to"),
            Reading(Thermostat.id, Attribute.occupiedCoolingSetpoint, "cool to"),
        ],
        glance: [
            Reading(Thermostat.id, Attribute.localTemperature, "temperature"),
            Reading(Thermostat.id, Attribute.outdoorTemperature, "outdoor temperature", glance: .after("outdoors")),
            Reading(
                Thermostat.id, Attribute.systemMode, "mode",
                glance: .say { value, _ in value.integer() == Thermostat.SystemMode.off.rawValue ? "off" : nil }),
            Reading(
                Thermostat.id, Attribute.occupiedHeatingSetpoint, "heat to",
                glance: .during("mode", Set([.heat, .auto, .emergencyHeat].map(\Thermostat.SystemMode.rawValue)))),
            Reading(
                Thermostat.id, Attribute.occupiedCoolingSetpoint, "cool to",
                glance: .during("mode", Set([.cool, .auto, .precooling].map(\Thermostat.SystemMode.rawValue)))),
        ],
        verbs: [
            .init(
                "set", "Set the temperature of what the thermostat does: heat or cool.", value: .temperature,
                isUsual: true
            ) { temperature, _ in ThermostatVerb.set(temperature) },
            .init("heat", "Set the temperature to heat to.", value: .temperature) { temperature, _ in
                ThermostatVerb.heat(temperature)
            },
            .init("cool", "Set the temperature to cool to.", value: .temperature) { temperature, _ in
                ThermostatVerb.cool(temperature)
            },
            .init("mode", "Set the mode.", value: modes) { mode, _ in ThermostatVerb.mode(mode) },
        ])
}

/// Sets a temperature or the mode of a thermostat (Matter application cluster specification 4.3).
public enum ThermostatVerb: DeviceVerb {
    /// Temperatures are in steps of 0.01 °C.
    case heat(Int16)
    /// Sets the temperature down to which it cools.
    case cool(Int16)
    /// The temperature of what the thermostat does at present.
    case set(Int16)
    /// Sets the mode.
    case mode(Thermostat.SystemMode)

    /// The cluster that is controlled.
    public var cluster: ClusterID { Thermostat.id }

    /// The commands for a device with these facts.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        switch self {
        case .heat(let temperature): return try heating(temperature, facts)
        case .cool(let temperature): return try cooling(temperature, facts)
        case .set(let temperature):
            switch facts.value(Thermostat.systemMode) {
            case .heat, .emergencyHeat: return try heating(temperature, facts)
            case .cool, .precooling: return try cooling(temperature, facts)
            case let mode:
                throw ControllerError(
                    .modeUnclear,
                    "\(facts.title) is in the mode \(mode.map(Self.word) ?? "unknown"), in which one temperature is not enough",
                    hint: .step("thermostat.heat-or-cool", facts.label))
            }
        case .mode(let mode):
            switch mode {
            case .heat, .emergencyHeat: try facts.require(Thermostat.Feature.heating, "heating")
            case .cool, .precooling: try facts.require(Thermostat.Feature.cooling, "cooling")
            case .auto: try facts.require(Thermostat.Feature.autoMode, "automatic mode")
            default: break
            }
            return DeviceRequest(write: Thermostat.systemMode, mode)
        }
    }

    private func heating(_ temperature: Int16, _ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        try facts.require(Thermostat.Feature.heating, "heating")
        // The defaults are those of the specification.
        let limits = Limits(
            min: facts.value(Thermostat.minHeatSetpointLimit) ?? facts.value(Thermostat.absMinHeatSetpointLimit) ?? 700,
            max: facts.value(Thermostat.maxHeatSetpointLimit) ?? facts.value(Thermostat.absMaxHeatSetpointLimit)
                ?? 3000)
        try limits.check(temperature, "heats", facts)
        return DeviceRequest(
            write: Thermostat.occupiedHeatingSetpoint, temperature,
            note: note(facts, unless: [.heat, .emergencyHeat, .auto], "heat"))
    }

    private func cooling(_ temperature: Int16, _ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        try facts.require(Thermostat.Feature.cooling, "cooling")
        let limits = Limits(
            min: facts.value(Thermostat.minCoolSetpointLimit) ?? facts.value(Thermostat.absMinCoolSetpointLimit)
                ?? 1600,
            max: facts.value(Thermostat.maxCoolSetpointLimit) ?? facts.value(Thermostat.absMaxCoolSetpointLimit)
                ?? 3200)
        try limits.check(temperature, "cools", facts)
        return DeviceRequest(
            write: Thermostat.occupiedCoolingSetpoint, temperature,
            note: note(facts, unless: [.cool, .precooling, .auto], "cool"))
    }

    /// A set-point has no effect in another mode.
    private func note(_ facts: DeviceFacts, unless modes: [Thermostat.SystemMode], _ wanted: String) -> String? {
        guard let mode = facts.value(Thermostat.systemMode), !modes.contains(mode) else { return nil }
        return "\(facts.title) is in the mode \(Self.word(mode)), not in \(wanted)"
    }

    private static func word(_ mode: Thermostat.SystemMode) -> String {
        ValuePrinter().text(
            mode.tlv, as: Catalogue.standard.attribute(cluster: Thermostat.id, Thermostat.Attribute.systemMode)?.type)
    }

    private struct Limits {
        let min: Int16
        let max: Int16

        func check(_ temperature: Int16, _ verb: String, _ facts: DeviceFacts) throws(ControllerError) {
            guard temperature < min || temperature > max else { return }
            let type = Catalogue.standard.attribute(
                cluster: Thermostat.id, Thermostat.Attribute.occupiedHeatingSetpoint)?.type
            let ends = [min, max].map { ValuePrinter().meaning($0.tlv, as: type) ?? "\($0)" }
            throw ControllerError(.outOfLimits, "\(facts.title) \(verb) to \(ends.joined(separator: " … "))")
        }
    }
}
