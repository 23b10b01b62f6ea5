import MatterBase
import Testing

@testable import MatterController
@testable import MatterModel

/// Messages of the verbs for kinds of devices, beside those that the catalogue makes of names and values.
@Suite("Verbs for kinds of devices") struct DeviceVerbTests {
    private static func facts(
        _ features: FeatureMap, commands: [CommandID] = [], _ values: [AttributeID: TLVValue] = [:]
    ) -> DeviceFacts {
        var values = values
        values[GlobalAttribute.featureMap] = features.tlv
        values[GlobalAttribute.acceptedCommandList] = .array(
            commands.map { TLVElement(.anonymous, .uint(UInt64($0.rawValue))) })
        return DeviceFacts(title: "node 'it'", label: "it", values: values)
    }

    /// Of a device that tells nothing of itself.
    private static let silent = DeviceFacts(title: "node 'it'", label: "it", values: [:])

    /// A command by name, with its fields as they are typed.
    private func named(
        _ verb: some DeviceVerb, _ command: String, _ fields: String
    ) throws -> DeviceRequest.Action {
        let definition = try #require(try Catalogue.standard.cluster(verb.cluster)?.command(named: command))
        let words = fields.split(separator: " ").map(String.init)
        let parsed = try ValueParser().fields(words: words, of: definition) { _ in [] }
        #expect(parsed.warnings.isEmpty)
        return .invoke(definition.id, parsed.value)
    }

    private func written(_ verb: some DeviceVerb, _ attribute: String, _ text: String) throws -> DeviceRequest.Action {
        let definition = try #require(try Catalogue.standard.cluster(verb.cluster)?.attribute(named: attribute))
        let parsed = try ValueParser().value(word: text, as: definition.type, at: attribute)
        return .write(definition.id, parsed.value)
    }

    @Test("the commands and writes of every verb are those that their names and values give")
    func encodings() throws {
        let plain = Self.facts(
            [ColorControl.Feature.hueAndSaturation, ColorControl.Feature.xy, ColorControl.Feature.colorTemperature])
        let tail = "transition-time=20 options-mask=1 options-override=1"
        let (slow, two) = (Duration.seconds(2), ColorVerb.Color.self)
        let cases: [(any DeviceVerb, DeviceFacts, String, String)] = [
            (LockVerb(.lock), Self.silent, "lock-door", ""),
            (LockVerb(.lock, pin: "123456"), Self.silent, "lock-door", "pin-code=text:123456"),
            (LockVerb(.unlock(relockAfter: nil)), Self.silent, "unlock-door", ""),
            (LockVerb(.unlock(relockAfter: nil), pin: "0042"), Self.silent, "unlock-door", "pin-code=text:0042"),
            (LockVerb(.unlock(relockAfter: 30)), Self.silent, "unlock-with-timeout", "timeout=30"),
            (
                LockVerb(.unlock(relockAfter: 30), pin: "1234"), Self.silent, "unlock-with-timeout",
                "timeout=30 pin-code=text:1234"
            ),
            (CoverVerb.open, Self.silent, "up-or-open", ""), (CoverVerb.close, Self.silent, "down-or-close", ""),
            (CoverVerb.stop, Self.silent, "stop-motion", ""),
            (
                CoverVerb.position(4000), Self.silent, "go-to-lift-percentage", "lift-percent100ths-value=4000"
            ),
            (CoverVerb.tilt(7550), Self.silent, "go-to-tilt-percentage", "tilt-percent100ths-value=7550"),
            (
                ColorVerb(two.temperature(mireds: 370), transition: slow), plain, "move-to-color-temperature",
                "color-temperature-mireds=2700K \(tail)"
            ),
            (
                ColorVerb(two.hue(240, saturation: 203), transition: slow), plain, "move-to-hue-and-saturation",
                "hue=169 saturation=203 \(tail)"
            ),
            (
                ColorVerb(two.hue(360, saturation: nil), transition: slow), plain, "move-to-hue",
                "hue=254 direction=shortest \(tail)"
            ),
            (
                ColorVerb(two.hue(120, saturation: 254), transition: slow), Self.silent,
                "enhanced-move-to-hue-and-saturation", "enhanced-hue=21845 saturation=254 \(tail)"
            ),
            (
                ColorVerb(two.hue(360, saturation: nil), transition: slow), Self.silent, "enhanced-move-to-hue",
                "enhanced-hue=0 direction=shortest \(tail)"
            ),
            (
                ColorVerb(two.xy(0.3125, 1), transition: slow), plain, "move-to-color",
                "color-x=20480 color-y=65279 \(tail)"
            ),
        ]
        for (verb, facts, command, fields) in cases {
            #expect(try verb.request(facts).action == named(verb, command, fields), "\(command) \(fields)")
        }
        let writes: [(any DeviceVerb, String, String)] = [
            (ThermostatVerb.heat(2150), "occupied-heating-setpoint", "21.5C"),
            (ThermostatVerb.cool(2500), "occupied-cooling-setpoint", "77F"),
            (ThermostatVerb.mode(.emergencyHeat), "system-mode", "emergency-heat"),
            (FanVerb.mode(.low), "fan-mode", "low"), (FanVerb.percent(30), "percent-setting", "30%"),
            (FanVerb.airflow(.reverse), "airflow-direction", "reverse"),
        ]
        for (verb, attribute, text) in writes {
            #expect(try verb.request(Self.silent).action == written(verb, attribute, text), "\(attribute)")
        }
    }

    @Test("what a device lacks, or does not go to, is said before anything is sent")
    func refusals() throws {
        let heating = Self.facts(Thermostat.Feature.heating, [Thermostat.Attribute.maxHeatSetpointLimit: .int(2500)])
        let white = Self.facts(
            ColorControl.Feature.colorTemperature,
            [
                ColorControl.Attribute.colorTempPhysicalMinMireds: .uint(153),
                ColorControl.Attribute.colorTempPhysicalMaxMireds: .uint(370),
            ])
        let pins = Self.facts(
            [DoorLock.Feature.pinCredential, DoorLock.Feature.credentialsOverTheAirAccess],
            [
                DoorLock.Attribute.minPINCodeLength: .uint(4), DoorLock.Attribute.maxPINCodeLength: .uint(8),
                DoorLock.Attribute.requirePINforRemoteOperation: .bool(true),
            ])
        let two = Self.facts([], [FanControl.Attribute.fanModeSequence: .uint(5)])
        let lifts = Self.facts(WindowCovering.Feature.lift)
        let cases: [(any DeviceVerb, DeviceFacts, ControllerError.Code, String)] = [
            (ThermostatVerb.cool(2500), heating, .deviceLacks, "node 'it' has no cooling"),
            (ThermostatVerb.mode(.auto), heating, .deviceLacks, "node 'it' has no automatic mode"),
            (ThermostatVerb.heat(2501), heating, .outOfLimits, "node 'it' heats to 7.00 °C … 25.00 °C"),
            (ThermostatVerb.heat(699), heating, .outOfLimits, "node 'it' heats to 7.00 °C … 25.00 °C"),
            (ColorVerb(.hue(1, saturation: nil)), white, .deviceLacks, "node 'it' has no hue and saturation"),
            (ColorVerb(.xy(0, 0)), white, .deviceLacks, "node 'it' has no colours by x and y"),
            (
                ColorVerb(.temperature(mireds: 371)), white, .outOfLimits,
                "the colour temperature of node 'it' is 2703 K … 6535 K"
            ),
            (LockVerb(.lock), pins, .pinNeeded, "node 'it' wants a PIN code"),
            (LockVerb(.lock, pin: "123"), pins, .outOfLimits, "the PIN codes of node 'it' have 4 to 8 digits"),
            (LockVerb(.lock, pin: "12a4"), pins, .outOfLimits, "a PIN code has digits only"),
            (LockVerb(.lock, pin: "1234"), lifts, .deviceLacks, "node 'it' takes no PIN code over the network"),
            (LockVerb(.unlock(relockAfter: 1)), lifts, .deviceLacks, "node 'it' cannot lock again after a time"),
            (FanVerb.mode(.low), two, .deviceLacks, "node 'it' has no mode 'low', only off, high"),
            (FanVerb.airflow(.reverse), two, .deviceLacks, "node 'it' has no direction of the air"),
            (CoverVerb.position(0), lifts, .deviceLacks, "node 'it' has no position that can be set"),
            (CoverVerb.tilt(0), lifts, .deviceLacks, "node 'it' has no tilt that can be set"),
        ]
        for (verb, facts, code, reason) in cases {
            let error = #expect(throws: ControllerError.self) { try verb.request(facts) }
            #expect(error?.code == code && error?.reason == reason, "\(reason): \(error?.reason ?? "")")
        }
        #expect(try LockVerb(.lock, pin: "1234").request(pins).attribute == DoorLock.Attribute.lockState)
        #expect(throws: Never.self) { try ColorVerb(.temperature(mireds: 370)).request(white) }
        #expect(throws: Never.self) { try ThermostatVerb.heat(700).request(heating) }
    }

    @Test("a temperature without more goes to what the thermostat does; in another mode there is a note or a question")
    func modes() throws {
        func facts(_ mode: Thermostat.SystemMode) -> DeviceFacts {
            Self.facts(
                [Thermostat.Feature.heating, Thermostat.Feature.cooling], [Thermostat.Attribute.systemMode: mode.tlv])
        }
        let heating = try ThermostatVerb.set(2000).request(facts(.heat))
        #expect(heating == DeviceRequest(write: Thermostat.occupiedHeatingSetpoint, 2000))
        let cooling = try ThermostatVerb.set(2000).request(facts(.cool))
        #expect(cooling == DeviceRequest(write: Thermostat.occupiedCoolingSetpoint, 2000))
        for mode in [Thermostat.SystemMode.off, .auto, .dry] {
            let error = #expect(throws: ControllerError.self) { try ThermostatVerb.set(2000).request(facts(mode)) }
            #expect(error?.code == .modeUnclear, "\(mode)")
        }
        #expect(try ThermostatVerb.heat(2000).request(facts(.off)).note == "node 'it' is in the mode Off, not in heat")
        #expect(try ThermostatVerb.cool(2000).request(facts(.auto)).note == nil)
    }

    @Test("a change is over when the value is the wanted one, or has stopped to change after the transition")
    func settling() {
        let start = ContinuousClock.now
        func moments(_ request: DeviceRequest, _ values: [(Int, UInt64?)]) -> [Bool] {
            var settling = Settling(request, at: start)
            return values.map { seconds, value in
                settling.isOver([value.map { .uint($0) }], at: start + .seconds(seconds))
            }
        }
        let slow = DeviceRequest(
            .invoke(0, nil), attribute: 0, goal: .uint(9), transition: .seconds(4), pause: .seconds(3))
        #expect(moments(slow, [(0, 1), (3, 5), (4, 9)]) == [false, false, true])
        #expect(moments(slow, [(0, 1), (4, 1), (6, 1), (7, 1)]) == [false, false, false, true])
        #expect(moments(slow, [(5, 7), (7, 8), (9, 8), (10, 8)]) == [false, false, false, true])
        #expect(moments(slow, [(4, nil)]) == [true], "there is nothing to wait for")
        let open = DeviceRequest(.invoke(0, nil), attribute: 0, transition: .seconds(4))
        #expect(moments(open, [(3, 1), (4, 1)]) == [false, true])
        #expect(moments(DeviceRequest(.invoke(0, nil), attribute: 0), [(0, 1)]) == [true])
    }

    @Test("readings say their unit, whatever the scale of the number")
    func readings() throws {
        func text(_ cluster: ClusterID, _ value: TLVValue, measured: TLVValue? = nil) throws -> String {
            try #require(SensorKind.kind.readings.first { $0.cluster == cluster }).text(value, measured: measured)
        }
        #expect(try text(TemperatureMeasurement.id, .int(-2150)) == "-21.50 °C")
        #expect(try text(TemperatureMeasurement.id, .null) == "unknown")
        #expect(try text(RelativeHumidityMeasurement.id, .uint(4525)) == "45.25%")
        #expect(try text(PressureMeasurement.id, .int(1013)) == "101.3 kPa")
        #expect(try text(PressureMeasurement.id, .int(-5)) == "-0.5 kPa")
        #expect(try text(FlowMeasurement.id, .uint(27)) == "2.7 m³/h")
        #expect(try text(IlluminanceMeasurement.id, .uint(30001)) == "1000 lx")
        #expect(try text(IlluminanceMeasurement.id, .uint(1)) == "1.0 lx")
        #expect(try text(IlluminanceMeasurement.id, .uint(0)) == "too dark to measure")
        #expect(try text(OccupancySensing.id, .uint(1)) == "occupied")
        #expect(try text(0x040D, .float(420.5), measured: .uint(0)) == "420.5 ppm")
        #expect(try text(0x042A, .float(8), measured: .uint(4)).hasSuffix(" µg/m³"))
        #expect(try text(AirQuality.id, .uint(1)) == "Good")
        let battery = try #require(BatteryKind.kind.readings.first)
        #expect(battery.text(.uint(175)) == "87.5%" && battery.unit() == "0.5 %")
    }

    @Test("every reading of the tables is in the catalogue")
    func catalogued() {
        for reading in SensorKind.kind.readings + ThermostatKind.kind.readings + BatteryKind.kind.readings {
            #expect(reading.type != nil, "\(reading.name)")
        }
    }
}
