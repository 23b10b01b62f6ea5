import MatterModel

extension SimulatedType {
    /// Every type there is.
    package static let all: [SimulatedType] =
        lights + [
            SimulatedType(
                "color-light", "A light with hue, saturation, xy and colour temperature.", .extendedColorLight
            ) {
                _ in
                [
                    IdentifyServer(.lightOutput), GroupsServer(), ScenesServer(), OnOffServer(isLighting: true),
                    LevelControlServer(), ColorControlServer(),
                ]
            },
            SimulatedType(
                "on-off-switch", "A switch that controls the lights it is bound to.", .onOffLightSwitch,
                clients: [Identify.id, OnOff.id]
            ) { _ in [IdentifyServer(.visibleIndicator), BindingServer()] },
            SimulatedType("aggregator", "A bridge with three lights behind it.", deviceType: .aggregator) { options in
                let bridged = bridgedLights(options)
                let bridge = EndpointPlan(
                    deviceTypes: [revision(.aggregator)], servers: [], parts: bridged.indices.map { UInt16($0 + 1) })
                return [bridge] + bridged
            },
        ] + rainMaker + [
            SimulatedType("door-lock", "A lock with users, PIN codes and schedules.", .doorLock) { _ in
                [IdentifyServer(.audibleBeep), DoorLockServer()]
            },
            SimulatedType("thermostat", "A thermostat in a room that warms and cools.", .thermostat) { _ in
                [IdentifyServer(.display), ThermostatServer()]
            },
            SimulatedType("fan", "A fan with ten speeds and automatic mode.", .fan) { _ in
                [IdentifyServer(.actuator), GroupsServer(), FanControlServer()]
            },
            SimulatedType("window-covering", "A blind with lift and tilt.", .windowCovering) { _ in
                [IdentifyServer(.actuator), WindowCoveringServer()]
            },
            SimulatedType("occupancy-sensor", "A motion sensor.", .occupancySensor) { _ in
                [IdentifyServer(.visibleIndicator), OccupancySensingServer()]
            },
            SimulatedType("contact-sensor", "A door or window contact.", .contactSensor) { _ in
                [IdentifyServer(.visibleIndicator), BooleanStateServer()]
            },
            SimulatedType(
                "smoke-alarm", "An alarm for smoke and carbon monoxide, with a battery.", .smokeCOAlarm,
                also: [.powerSource]
            ) { _ in
                [IdentifyServer(.audibleBeep), SmokeAlarmServer(), PowerSourceServer()]
            },
            SimulatedType("temperature-sensor", "A thermometer.", .temperatureSensor) { _ in
                [IdentifyServer(.visibleIndicator), MeasurementServer.temperature()]
            },
            SimulatedType("humidity-sensor", "A hygrometer.", .humiditySensor) { _ in
                [IdentifyServer(.visibleIndicator), MeasurementServer.humidity()]
            },
            SimulatedType(
                "energy-plug", "A plug that measures power and energy.", .onOffPlugInUnit, also: [.electricalSensor]
            ) { _ in
                [
                    IdentifyServer(.visibleIndicator), GroupsServer(), OnOffServer(isLighting: true), ScenesServer(),
                    PowerTopologyServer(), ElectricalPowerServer(), ElectricalEnergyServer(),
                ]
            },
            SimulatedType("water-valve", "A valve with levels that closes by itself.", .waterValve) { _ in
                [IdentifyServer(.actuator), ValveServer()]
            },
            SimulatedType("robot-vacuum", "A vacuum cleaner with modes.", .roboticVacuumCleaner) { _ in
                [IdentifyServer(.audibleBeep), VacuumServer()] + VacuumServer.modes
            },
            SimulatedType("mode-select", "A switch with three modes.", .modeSelect) { _ in
                [ModeServer(ModeSelect.id, [.init("Cold"), .init("Warm"), .init("Hot")])]
            },
            SimulatedType("video-player", "A player that plays, pauses and skips.", .basicVideoPlayer) { _ in
                [OnOffServer(isLighting: false), MediaPlaybackServer(), KeypadInputServer()]
            },
            SimulatedType("speaker", "A speaker with a volume.", .speaker) { _ in
                [OnOffServer(isLighting: false), LevelControlServer()]
            },
            SimulatedType("button", "A button that is pressed, held and pressed twice.", .genericSwitch) { _ in
                [IdentifyServer(.visibleIndicator), SwitchServer()]
            },
            SimulatedType("battery", "The battery of the other endpoints.", .powerSource) { _ in [PowerSourceServer()]
            },
        ]

    /// Lights and plugs, which stand behind the bridge too.
    private static let lights: [SimulatedType] = [
        SimulatedType("on-off-light", "A light that is on or off.", .onOffLight) { _ in
            light(.lightOutput) + [OnOffServer(isLighting: true)]
        },
        SimulatedType("dimmable-light", "A light with a level.", .dimmableLight) { _ in
            light(.lightOutput) + [OnOffServer(isLighting: true), LevelControlServer()]
        },
        SimulatedType(
            "color-temperature-light", "A light with a level and a colour temperature.", .colorTemperatureLight
        ) {
            _ in
            light(.lightOutput) + [OnOffServer(isLighting: true), LevelControlServer(), ColorTemperatureServer()]
        },
        SimulatedType("on-off-plug", "A plug that is on or off.", .onOffPlugInUnit) { _ in
            light(.visibleIndicator) + [OnOffServer(isLighting: true)]
        },
    ]

    private static func light(_ identifies: Identify.IdentifyType) -> [any ClusterServer] {
        [IdentifyServer(identifies), GroupsServer(), ScenesServer()]
    }

    /// An endpoint for each type of light, as a bridged device.
    private static func bridgedLights(_ options: DeviceOptions) -> [EndpointPlan] {
        let lights = lights.filter { [.onOffLight, .dimmableLight, .colorTemperatureLight].contains($0.deviceType) }
        return lights.enumerated().flatMap { index, light in
            light.build(options).map { plan in
                var plan = plan
                plan.deviceTypes.append(revision(.bridgedNode))
                plan.servers.append(BridgedDeviceServer(number: index + 1, name: light.name))
                return plan
            }
        }
    }
}
