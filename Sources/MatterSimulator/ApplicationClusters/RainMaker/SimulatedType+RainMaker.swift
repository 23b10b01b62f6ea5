import MatterModel

extension SimulatedType {
    /// The endpoints that have clusters of RainMaker.
    static let rainMaker: [SimulatedType] = [
        SimulatedType(
            "rainmaker-controller", "A controller that takes a RainMaker account.", deviceType: .controlBridge
        ) {
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
        SimulatedType("rainmaker-border-router", "A router that takes a Thread network.", deviceType: .controlBridge) {
            _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(.controlBridge)],
                    servers: [IdentifyServer(.visibleIndicator), BindingServer(), RainMakerBorderRouterServer()],
                    clients: bridgeClients)
            ]
        },
        SimulatedType("rainmaker-badge", "A badge with a button, and its bearer's data.", deviceType: .onOffLightSwitch)
        {
            _ in
            [
                EndpointPlan(
                    deviceTypes: [revision(.onOffLightSwitch)],
                    servers: [IdentifyServer(.visibleIndicator), BindingServer(), ParticipantDataServer()],
                    clients: [Identify.id, OnOff.id])
            ]
        },
    ]

    /// The client clusters of a control bridge.
    private static let bridgeClients = [
        Identify.id, Groups.id, OnOff.id, LevelControl.id, ScenesManagement.id, ColorControl.id,
    ]
}
