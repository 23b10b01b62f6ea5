extension DeviceKind {
    static let colorLights: [DeviceKind] = [
        DeviceKind("color-light", "A light with hue, saturation, xy and colour temperature.", deviceType: 0x010D) { _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(0x010D)],
                    servers: [
                        IdentifyServer(.lightOutput), GroupsServer(), OnOffServer(isLighting: true),
                        LevelControlServer(), ColorControlServer(),
                    ])
            ]
        }
    ]
}
