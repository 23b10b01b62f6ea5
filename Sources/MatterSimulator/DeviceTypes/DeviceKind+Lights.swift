extension DeviceKind {
    /// Lights and plugs.
    static let lights: [DeviceKind] = [
        DeviceKind("on-off-light", "A light that is on or off.", deviceType: 0x0100) { _ in
            [light(0x0100, [OnOffServer(isLighting: true)])]
        },
        DeviceKind("dimmable-light", "A light with a level.", deviceType: 0x0101) { _ in
            [light(0x0101, [OnOffServer(isLighting: true), LevelControlServer()])]
        },
        DeviceKind("color-temperature-light", "A light with a level and a colour temperature.", deviceType: 0x010C) {
            _ in
            [light(0x010C, [OnOffServer(isLighting: true), LevelControlServer(), ColorTemperatureServer()])]
        },
        DeviceKind("on-off-plug", "A plug that is on or off.", deviceType: 0x010A) { _ in
            [light(0x010A, [OnOffServer(isLighting: true)], identifies: .visibleIndicator)]
        },
    ]

    private static func light(
        _ deviceType: UInt32, _ servers: [any ClusterServer], identifies kind: IdentifyServer.Kind = .lightOutput
    ) -> EndpointPlan {
        EndpointPlan(deviceTypes: [revision(deviceType)], servers: [IdentifyServer(kind), GroupsServer()] + servers)
    }
}
