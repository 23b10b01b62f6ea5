import MatterModel

extension DeviceKind {
    static let colorLights: [DeviceKind] = [
        DeviceKind(
            "color-light", "A light with hue, saturation, xy and colour temperature.", deviceType: .extendedColorLight
        ) { _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(.extendedColorLight)],
                    servers: [
                        IdentifyServer(.lightOutput), GroupsServer(), ScenesServer(), OnOffServer(isLighting: true),
                        LevelControlServer(), ColorControlServer(),
                    ])
            ]
        }
    ]
}
