import MatterModel

extension DeviceKind {
    /// What moves air, warmth, bolts and blinds.
    static let house: [DeviceKind] = [
        DeviceKind("door-lock", "A lock with users, PIN codes and schedules.", deviceType: .doorLock) { _ in
            [plan(.doorLock, [DoorLockServer()], identifies: .audibleBeep)]
        },
        DeviceKind("thermostat", "A thermostat in a room that warms and cools.", deviceType: .thermostat) { _ in
            [plan(.thermostat, [ThermostatServer()], identifies: .display)]
        },
        DeviceKind("fan", "A fan with ten speeds and automatic mode.", deviceType: .fan) { _ in
            [plan(.fan, [GroupsServer(), FanControlServer()], identifies: .actuator)]
        },
        DeviceKind("window-covering", "A blind with lift and tilt.", deviceType: .windowCovering) { _ in
            [plan(.windowCovering, [WindowCoveringServer()], identifies: .actuator)]
        },
    ]

    private static func plan(
        _ deviceType: DeviceTypeID, _ servers: [any ClusterServer], identifies kind: Identify.IdentifyType
    ) -> EndpointPlan {
        EndpointPlan(deviceTypes: [revision(deviceType)], servers: [IdentifyServer(kind)] + servers)
    }
}
