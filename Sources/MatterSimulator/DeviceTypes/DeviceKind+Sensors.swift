extension DeviceKind {
    /// What measures.
    static let sensors: [DeviceKind] = [
        DeviceKind("occupancy-sensor", "A motion sensor.", deviceType: 0x0107) { _ in
            [sensor(0x0107, OccupancySensingServer())]
        },
        DeviceKind("contact-sensor", "A door or window contact.", deviceType: 0x0015) { _ in
            [sensor(0x0015, BooleanStateServer())]
        },
        DeviceKind("temperature-sensor", "A thermometer.", deviceType: 0x0302) { _ in
            [sensor(0x0302, MeasurementServer.temperature())]
        },
        DeviceKind("humidity-sensor", "A hygrometer.", deviceType: 0x0307) { _ in
            [sensor(0x0307, MeasurementServer.humidity())]
        },
    ]

    private static func sensor(_ deviceType: UInt32, _ server: any ClusterServer) -> EndpointPlan {
        EndpointPlan(deviceTypes: [revision(deviceType)], servers: [IdentifyServer(.visibleIndicator), server])
    }
}
