import MatterModel

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
