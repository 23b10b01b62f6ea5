import MatterDataModel

extension DeviceKind {
    /// What drives other devices.
    static let controls: [DeviceKind] = [
        DeviceKind("on-off-switch", "A switch that controls the lights it is bound to.", deviceType: .onOffLightSwitch)
        {
            _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(.onOffLightSwitch)],
                    servers: [IdentifyServer(.visibleIndicator), BindingServer()],
                    clients: [Identify.id, OnOff.id])
            ]
        },
        DeviceKind("aggregator", "A bridge with three lights behind it.", deviceType: .aggregator) { options in
            let bridged = bridgedLights(options)
            return [
                EndpointPlan(
                    deviceTypes: [revision(.aggregator)], servers: [], parts: bridged.indices.map { UInt16($0 + 1) })
            ] + bridged
        },
        DeviceKind("rainmaker-controller", "A controller that takes a RainMaker account.", deviceType: .controlBridge) {
            options in
            [
                EndpointPlan(
                    deviceTypes: [revision(.controlBridge)],
                    servers: [
                        IdentifyServer(.visibleIndicator), BindingServer(),
                        RainMakerControllerServer(cloud: options.cloud),
                    ],
                    clients: bridgeClients)
            ]
        },
        DeviceKind("rainmaker-border-router", "A router that takes a Thread network.", deviceType: .controlBridge) {
            _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(.controlBridge)],
                    servers: [IdentifyServer(.visibleIndicator), BindingServer(), RainMakerBorderRouterServer()],
                    clients: bridgeClients)
            ]
        },
        DeviceKind("rainmaker-badge", "A badge with a button, and its bearer's data.", deviceType: .onOffLightSwitch) {
            _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(.onOffLightSwitch)],
                    servers: [IdentifyServer(.visibleIndicator), BindingServer(), ParticipantDataServer()],
                    clients: [Identify.id, OnOff.id])
            ]
        },
    ]

    /// What a control bridge is a client of.
    private static let bridgeClients = [
        Identify.id, Groups.id, OnOff.id, LevelControl.id, ColorControl.id,
    ]

    /// An endpoint for each kind of light, as a bridged device.
    private static func bridgedLights(_ options: DeviceOptions) -> [EndpointPlan] {
        let kinds = lights.filter { [.onOffLight, .dimmableLight, .colorTemperatureLight].contains($0.deviceType) }
        return kinds.enumerated().flatMap { index, kind in
            kind.build(options).map { plan in
                var plan = plan
                plan.deviceTypes.append(revision(.bridgedNode))
                plan.servers.append(BridgedDeviceServer(number: index + 1, name: kind.name))
                return plan
            }
        }
    }
}
