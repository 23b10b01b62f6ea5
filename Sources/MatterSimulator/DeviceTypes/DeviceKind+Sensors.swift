import MatterModel

extension DeviceKind {
    /// What measures.
    static let sensors: [DeviceKind] = [
        DeviceKind("occupancy-sensor", "A motion sensor.", deviceType: .occupancySensor) { _ in
            [sensor(.occupancySensor, OccupancySensingServer())]
        },
        DeviceKind("contact-sensor", "A door or window contact.", deviceType: .contactSensor) { _ in
            [sensor(.contactSensor, BooleanStateServer())]
        },
        DeviceKind("temperature-sensor", "A thermometer.", deviceType: .temperatureSensor) { _ in
            [sensor(.temperatureSensor, MeasurementServer.temperature())]
        },
        DeviceKind("humidity-sensor", "A hygrometer.", deviceType: .humiditySensor) { _ in
            [sensor(.humiditySensor, MeasurementServer.humidity())]
        },
    ]

    private static func sensor(_ deviceType: DeviceTypeID, _ server: any ClusterServer) -> EndpointPlan {
        EndpointPlan(deviceTypes: [revision(deviceType)], servers: [IdentifyServer(.visibleIndicator), server])
    }
}
