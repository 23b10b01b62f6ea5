extension DeviceKind {
    /// What drives other devices.
    static let controls: [DeviceKind] = [
        DeviceKind("on-off-switch", "A switch that controls the lights it is bound to.", deviceType: 0x0103) { _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(0x0103)], servers: [IdentifyServer(.visibleIndicator), BindingServer()],
                    clients: [ClusterID.identify, ClusterID.onOff])
            ]
        },
        DeviceKind("aggregator", "A bridge with three lights behind it.", deviceType: 0x000E) { options in
            let bridged = bridgedLights(options)
            return [
                EndpointPlan(
                    deviceTypes: [revision(0x000E)], servers: [], parts: bridged.indices.map { UInt16($0 + 1) })
            ] + bridged
        },
        DeviceKind("rainmaker-controller", "A controller that takes a RainMaker account.", deviceType: 0x0840) {
            options in
            [
                EndpointPlan(
                    deviceTypes: [revision(0x0840)],
                    servers: [
                        IdentifyServer(.visibleIndicator), BindingServer(),
                        RainMakerControllerServer(cloud: options.cloud),
                    ],
                    clients: bridgeClients)
            ]
        },
        DeviceKind("rainmaker-border-router", "A router that takes a Thread network.", deviceType: 0x0840) { _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(0x0840)],
                    servers: [IdentifyServer(.visibleIndicator), BindingServer(), RainMakerBorderRouterServer()],
                    clients: bridgeClients)
            ]
        },
        DeviceKind("rainmaker-badge", "A badge with a button, and its bearer's data.", deviceType: 0x0103) { _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(0x0103)],
                    servers: [IdentifyServer(.visibleIndicator), BindingServer(), ParticipantDataServer()],
                    clients: [ClusterID.identify, ClusterID.onOff])
            ]
        },
    ]

    /// What a control bridge is a client of.
    private static let bridgeClients = [
        ClusterID.identify, ClusterID.groups, ClusterID.onOff, ClusterID.levelControl, ClusterID.colorControl,
    ]

    private static let bridgedNode: UInt32 = 0x0013

    /// An endpoint for each kind of light, as a bridged device.
    private static func bridgedLights(_ options: DeviceOptions) -> [EndpointPlan] {
        let kinds = lights.filter { [0x0100, 0x0101, 0x010C].contains($0.deviceType) }
        return kinds.enumerated().flatMap { index, kind in
            kind.build(options).map { plan in
                var plan = plan
                plan.deviceTypes.append(revision(bridgedNode))
                plan.servers.append(BridgedDeviceServer(number: index + 1, name: kind.name))
                return plan
            }
        }
    }
}
