extension DeviceKind {
    /// What moves air, warmth, bolts and blinds.
    static let house: [DeviceKind] = [
        DeviceKind("door-lock", "A lock with users, PIN codes and schedules.", deviceType: 0x000A) { _ in
            [plan(0x000A, [DoorLockServer()], identifies: .audibleBeep)]
        },
        DeviceKind("thermostat", "A thermostat in a room that warms and cools.", deviceType: 0x0301) { _ in
            [plan(0x0301, [ThermostatServer()], identifies: .display)]
        },
        DeviceKind("fan", "A fan with ten speeds and automatic mode.", deviceType: 0x002B) { _ in
            [plan(0x002B, [GroupsServer(), FanControlServer()], identifies: .actuator)]
        },
        DeviceKind("window-covering", "A blind with lift and tilt.", deviceType: 0x0202) { _ in
            [plan(0x0202, [WindowCoveringServer()], identifies: .actuator)]
        },
    ]

    private static func plan(
        _ deviceType: UInt32, _ servers: [any ClusterServer], identifies kind: IdentifyServer.Kind
    ) -> EndpointPlan {
        EndpointPlan(deviceTypes: [revision(deviceType)], servers: [IdentifyServer(kind)] + servers)
    }
}
