import MatterModel

extension DeviceKind {
    /// Lights and plugs.
    static let lights: [DeviceKind] = [
        DeviceKind("on-off-light", "A light that is on or off.", deviceType: .onOffLight) { _ in
            [light(.onOffLight, [OnOffServer(isLighting: true)])]
        },
        DeviceKind("dimmable-light", "A light with a level.", deviceType: .dimmableLight) { _ in
            [light(.dimmableLight, [OnOffServer(isLighting: true), LevelControlServer()])]
        },
        DeviceKind(
            "color-temperature-light", "A light with a level and a colour temperature.",
            deviceType: .colorTemperatureLight
        ) {
            _ in
            [
                light(
                    .colorTemperatureLight,
                    [OnOffServer(isLighting: true), LevelControlServer(), ColorTemperatureServer()])
            ]
        },
        DeviceKind("on-off-plug", "A plug that is on or off.", deviceType: .onOffPlugInUnit) { _ in
            [light(.onOffPlugInUnit, [OnOffServer(isLighting: true)], identifies: .visibleIndicator)]
        },
    ]

    private static func light(
        _ deviceType: DeviceTypeID, _ servers: [any ClusterServer],
        identifies kind: Identify.IdentifyType = .lightOutput
    ) -> EndpointPlan {
        EndpointPlan(
            deviceTypes: [revision(deviceType)],
            servers: [IdentifyServer(kind), GroupsServer(), ScenesServer()] + servers)
    }
}
