import MatterModel

extension DeviceKind {
    /// What meters, cleans, plays and waters.
    static let appliances: [DeviceKind] = [
        DeviceKind("energy-plug", "A plug that measures power and energy.", deviceType: .onOffPlugInUnit) { _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(.onOffPlugInUnit), revision(.electricalSensor)],
                    servers: [
                        IdentifyServer(.visibleIndicator), GroupsServer(), OnOffServer(isLighting: true),
                        ScenesServer(), PowerTopologyServer(), ElectricalPowerServer(), ElectricalEnergyServer(),
                    ])
            ]
        },
        DeviceKind("water-valve", "A valve with levels that closes by itself.", deviceType: .waterValve) { _ in
            [plan(.waterValve, [IdentifyServer(.actuator), ValveServer()])]
        },
        DeviceKind("robot-vacuum", "A vacuum cleaner with modes.", deviceType: .roboticVacuumCleaner) { _ in
            [plan(.roboticVacuumCleaner, [IdentifyServer(.audibleBeep), VacuumServer()] + VacuumServer.modes)]
        },
        DeviceKind("mode-select", "A switch with three modes.", deviceType: .modeSelect) { _ in
            [plan(.modeSelect, [ModeServer(ModeSelect.id, [.init("Cold"), .init("Warm"), .init("Hot")])])]
        },
        DeviceKind("video-player", "A player that plays, pauses and skips.", deviceType: .basicVideoPlayer) { _ in
            [
                plan(
                    .basicVideoPlayer,
                    [OnOffServer(isLighting: false), MediaPlaybackServer(), KeypadInputServer()])
            ]
        },
        DeviceKind("speaker", "A speaker with a volume.", deviceType: .speaker) { _ in
            [plan(.speaker, [OnOffServer(isLighting: false), LevelControlServer()])]
        },
        DeviceKind("button", "A button that is pressed, held and pressed twice.", deviceType: .genericSwitch) { _ in
            [plan(.genericSwitch, [IdentifyServer(.visibleIndicator), SwitchServer()])]
        },
        DeviceKind("battery", "The battery of the other endpoints.", deviceType: .powerSource) { _ in
            [plan(.powerSource, [PowerSourceServer()])]
        },
    ]

    private static func plan(_ deviceType: DeviceTypeID, _ servers: [any ClusterServer]) -> EndpointPlan {
        EndpointPlan(deviceTypes: [revision(deviceType)], servers: servers)
    }
}
