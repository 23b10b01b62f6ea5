public import MatterNetwork

/// A part of a node that people know as a device: the light on endpoint 1, the lock on endpoint 2.
///
/// A device is asked first what it can do, where that matters: a command that it lacks is not sent.
public protocol DevicePart: Sendable {
    /// The node.
    var node: Node { get }
    /// The endpoint; `nil` if the node has several that could be meant, and then calls fail: name one.
    var endpoint: EndpointID? { get }
    /// The cluster by which such devices are recognised.
    static var cluster: ClusterID { get }

    /// The device of this kind on an endpoint.
    init(_ node: Node, at endpoint: EndpointID?)
}

extension DevicePart {
    func perform(_ verb: any DeviceVerb, _ time: Duration?) async throws {
        try await reportingErrors {
            _ = try await node.controller.devices.carryOut(
                verb, on: node.record, endpoint: endpoint, budget: Budget(time))
        }
    }
}

extension Node {
    /// The device of a kind, such as `LightDevice.self`; `nil` if the node is known to have none.
    ///
    /// - Parameter endpoint: where, if the node has several.
    public func device<Device: DevicePart>(_: Device.Type, at endpoint: EndpointID? = nil) -> Device? {
        let serving = endpoints.filter { $0.clusters.contains(Device.cluster) }
        if let endpoint {
            guard serving.contains(where: { $0.id == endpoint }) || endpoints.isEmpty else { return nil }
            return Device(self, at: endpoint)
        }
        guard !serving.isEmpty || endpoints.isEmpty else { return nil }
        return Device(self, at: serving.count == 1 ? serving[0].id : nil)
    }

    /// All devices of a kind that the node is known to have, by endpoint.
    public func devices<Device: DevicePart>(_: Device.Type) -> [Device] {
        endpoints.filter { $0.clusters.contains(Device.cluster) }.map { Device(self, at: $0.id) }
    }

    /// The lamp, plug or switch; `nil` if there is none.
    public var light: LightDevice? { device(LightDevice.self) }
    /// The thermostat; `nil` if there is none.
    public var thermostat: ThermostatDevice? { device(ThermostatDevice.self) }
    /// The door lock; `nil` if there is none.
    public var lock: LockDevice? { device(LockDevice.self) }
    /// The fan; `nil` if there is none.
    public var fan: FanDevice? { device(FanDevice.self) }
    /// The blind, shutter or curtain; `nil` if there is none.
    public var cover: CoverDevice? { device(CoverDevice.self) }
    /// The valve; `nil` if there is none.
    public var valve: ValveDevice? { device(ValveDevice.self) }
    /// The vacuum cleaner; `nil` if there is none.
    public var vacuum: VacuumDevice? { device(VacuumDevice.self) }
    /// The media player; `nil` if there is none.
    public var player: PlayerDevice? { device(PlayerDevice.self) }
}
